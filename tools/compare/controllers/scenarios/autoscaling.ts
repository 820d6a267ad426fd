/** Autoscalers, with metrics that a custom kind stands for. */
import { app, type ControllerScenarios, deployment, deployments, template } from './shapes.ts'
import { complete } from './workloads.ts'

const scalers = 'autoscaling/v2/horizontalpodautoscalers'
const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
const cpu = (averageUtilization: number) => ({
  ...{
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
  },
})
const spec = (more: object = {}) => ({
  scaleTargetRef: target,
  minReplicas: 1,
  maxReplicas: 5,
  metrics: [cpu(50)],
  ...more,
})
const requests = {
  containers: [{ name: 'main', image: 'work', resources: { requests: { cpu: '100m' } } }],
}

type Conditions = { conditions?: readonly { type: string; reason: string }[] }
const says =
  (reason: string) =>
  ({ status }: { status?: Conditions }) =>
    status?.conditions?.some((one) => one.reason === reason) === true

export const autoscaling: ControllerScenarios = {
  's-scaler-none': async (c) => {
    await c.create(
      deployments,
      deployment('web', { replicas: 2, template: template('ready', requests) }),
    )
    await complete(c, 'web', 2)
    await c.create(scalers, { metadata: { name: 'web' }, spec: spec() })
    await c.has(scalers, 'web', says('FailedGetResourceMetric') as never)
  },
  's-scaler-missing': async (c) => {
    await c.create(scalers, { metadata: { name: 'web' }, spec: spec() })
    await c.has(scalers, 'web', says('FailedGetScale') as never)
  },
  's-scaler-off': async (c) => {
    await c.create(deployments, deployment('web', { replicas: 0 }))
    await complete(c, 'web', 0)
    await c.create(scalers, { metadata: { name: 'web' }, spec: spec() })
    await c.has(scalers, 'web', says('ScalingDisabled') as never)
  },
  's-scaler-bounds': async (c) => {
    await c.create(deployments, deployment('web', { replicas: 1 }))
    await complete(c, 'web', 1)
    await c.create(scalers, { metadata: { name: 'web' }, spec: spec({ minReplicas: 3 }) })
    await complete(c, 'web', 3)
    await c.patch(deployments, 'web/scale', { spec: { replicas: 9 } })
    await complete(c, 'web', 5)
  },
  's-scaler-two': async (c) => {
    await c.create(deployments, deployment('web', { replicas: 1 }))
    await complete(c, 'web', 1)
    await c.create(scalers, { metadata: { name: 'a' }, spec: spec() })
    await c.create(scalers, { metadata: { name: 'b' }, spec: spec() })
    await c.has(scalers, 'b', says('AmbiguousSelector') as never)
  },
  's-scaler-custom': async (c) => {
    await c.create(deployments, deployment('web', { replicas: 1 }))
    await complete(c, 'web', 1)
    await c.create(scalers, {
      metadata: { name: 'pods' },
      spec: spec({
        metrics: [
          {
            type: 'Pods',
            pods: {
              metric: { name: 'rate' },
              target: { type: 'AverageValue', averageValue: '10' },
            },
          },
        ],
      }),
    })
    await c.has(scalers, 'pods', says('FailedGetPodsMetric') as never)
  },
  's-scaler-external': async (c) => {
    await c.create(deployments, deployment('web', { replicas: 1 }))
    await complete(c, 'web', 1)
    const metric = { name: 'queue', selector: { matchLabels: app } }
    await c.create(scalers, {
      metadata: { name: 'out' },
      spec: spec({
        metrics: [
          { type: 'External', external: { metric, target: { type: 'Value', value: '10' } } },
          {
            type: 'Object',
            object: {
              metric,
              describedObject: { apiVersion: 'v1', kind: 'Service', name: 's' },
              target: { type: 'Value', value: '10' },
            },
          },
        ],
      }),
    })
    await c.has(scalers, 'out', says('FailedGetExternalMetric') as never)
  },
}
