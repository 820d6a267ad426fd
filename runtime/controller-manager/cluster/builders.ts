import type { Builders } from '../contract/build-controller.ts'

/** The controllers of what belongs to a cluster as a whole. A server runs them itself where no controller manager does. */
export const cluster: Builders = {
  'clusterrole-aggregation-controller': async () => {
    const [{ loadAccessControllers }, { clusterRoles }] = await Promise.all([
      import('../../controllers/controllers.ts'),
      import('../../../generated/apis/rbac/v1.ts'),
    ])
    return [(await loadAccessControllers()).roleAggregationController(clusterRoles)]
  },
  'namespace-controller': async ({ platform, concurrency }) => {
    const [{ namespaceController }, { namespaces }] = await Promise.all([
      import('../../controllers/controllers.ts'),
      import('../../../generated/apis/core/v1/namespace.ts'),
    ])
    return [
      namespaceController({
        ...{ kind: namespaces, platform },
        ...(concurrency !== undefined && { concurrency }),
      }),
    ]
  },
  'node-ipam-controller': async (context) =>
    (await import('./node-ipam/node-ipam.ts')).nodeIpamController(context),
  'node-lifecycle-controller': async (context) => {
    const { nodeLifecycleController } = await import('./node-lifecycle/node-lifecycle.ts')
    const own = await nodeLifecycleController(context)
    if (context.gates.has('SeparateTaintEvictionController')) return own
    const { taintEvictionController } = await import('./taint-eviction/taint-eviction.ts')
    const name = `${context.name}/taint-eviction`
    return [...own, ...(await taintEvictionController({ ...context, name }))]
  },
  'taint-eviction-controller': async (context) =>
    (await import('./taint-eviction/taint-eviction.ts')).taintEvictionController(context),
  'ttl-controller': async (context) => (await import('./node-ttl.ts')).nodeTtlController(context),
}
