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
  'ttl-controller': async (context) => (await import('./node-ttl.ts')).nodeTtlController(context),
}
