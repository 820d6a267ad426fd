import type { SimulatedNodes, SimulatedNodesOptions } from '../simulated-nodes/simulated-nodes.ts'
import type { StartControllersOptions } from './start-controllers.ts'

/** Simulated nodes of a control plane for tests, and how they end. */
export interface StartedNodes {
  readonly nodes: SimulatedNodes
  end(): Promise<void>
}

/** Starts simulated nodes, if there are to be any. Their code is loaded then. */
export async function startNodes(
  given: number | SimulatedNodesOptions,
  { as, scheme, clock, log }: StartControllersOptions,
): Promise<StartedNodes | undefined> {
  const options = typeof given === 'number' ? { count: given } : given
  if (options.count === 0) return undefined
  const [{ createSimulatedNodes }, { platform: own }] = await Promise.all([
    import('../simulated-nodes/simulated-nodes.ts'),
    import('../../generated/platform.ts'),
  ])
  const { platform } = scheme
  const user = { user: 'system:simulated-nodes', groups: ['system:masters'] }
  const client = as(user, { manager: platform.agent, platform: own })
  const nodes = createSimulatedNodes({ ...options, client, platform, clock, log })
  const stop = new AbortController()
  const ended = nodes.run(stop.signal)
  await Promise.race([nodes.ready, ended])
  return {
    nodes,
    async end() {
      stop.abort()
      await ended
    },
  }
}
