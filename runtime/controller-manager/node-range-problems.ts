import type { OrchControllerManagerConfiguration } from '../../generated/config/manager/v1alpha1.ts'

/** Why nodes cannot be given the ranges of addresses that a configuration asks for. */
export async function nodeRangeProblems(
  configuration: OrchControllerManagerConfiguration,
): Promise<readonly string[]> {
  const { nodePools } = await import('./cluster/node-ipam/node-pools.ts')
  return nodePools(configuration).problems
}

/** Why there cannot be routes to the ranges of nodes that a configuration asks for. */
export async function nodeRouteProblems(
  configuration: OrchControllerManagerConfiguration,
): Promise<readonly string[]> {
  const { routedRanges } = await import('./cloud/node-routes/cluster-ranges.ts')
  return routedRanges(configuration).problems
}
