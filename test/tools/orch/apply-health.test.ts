/** When an object has become what its spec asks for, as a table over kinds. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DynamicObject } from '../../../runtime/client/client.ts'
import { healthOf } from '../../../tools/orch/apply/health.ts'

const health = suite('tools/orch: health of applied objects')

type Row = readonly [apiVersion: string, kind: string, spec: object, status: object, wanted: string]

const seen = { observedGeneration: 2 }
const condition = (type: string, status: string, more: object = {}) => ({
  conditions: [{ type, status, ...more }],
})
const behind = { ...seen, currentRevision: 'a', updateRevision: 'b', readyReplicas: 3 }

const rows: readonly Row[] = [
  ['apps/v1', 'Deployment', { replicas: 2 }, {}, 'progressing: its controller has not seen it'],
  [
    'apps/v1',
    'Deployment',
    {},
    { observedGeneration: 1, availableReplicas: 1 },
    'progressing: its controller has not seen it',
  ],
  ['apps/v1', 'Deployment', { paused: true }, seen, 'healthy'],
  ['apps/v1', 'Deployment', { replicas: 0 }, seen, 'healthy'],
  [
    'apps/v1',
    'Deployment',
    { replicas: 2 },
    { ...seen, replicas: 3, updatedReplicas: 2 },
    'progressing: old replicas are there still',
  ],
  [
    'apps/v1',
    'Deployment',
    {},
    {
      ...seen,
      ...condition('Progressing', 'False', { reason: 'ProgressDeadlineExceeded', message: 'late' }),
    },
    'failed: late',
  ],
  [
    'apps/v1',
    'StatefulSet',
    { replicas: 3 },
    { ...behind, updatedReplicas: 1 },
    'progressing: 1 of 3 replicas are updated',
  ],
  [
    'apps/v1',
    'StatefulSet',
    { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } },
    { ...behind, updatedReplicas: 1 },
    'healthy',
  ],
  [
    'apps/v1',
    'StatefulSet',
    { replicas: 3, updateStrategy: { type: 'OnDelete' } },
    behind,
    'healthy',
  ],
  [
    'apps/v1',
    'DaemonSet',
    {},
    { ...seen, desiredNumberScheduled: 2, updatedNumberScheduled: 1, numberAvailable: 2 },
    'progressing: 1 of 2 replicas are available',
  ],
  [
    'apps/v1',
    'DaemonSet',
    { updateStrategy: { type: 'OnDelete' } },
    { ...seen, desiredNumberScheduled: 2, numberAvailable: 2 },
    'healthy',
  ],
  [
    'v1',
    'ReplicationController',
    { replicas: 2 },
    { readyReplicas: 1 },
    'progressing: 1 of 2 replicas are ready',
  ],
  ['batch/v1', 'Job', {}, condition('Failed', 'True', { message: 'no more' }), 'failed: no more'],
  ['batch.example.org/v1', 'Job', {}, {}, 'healthy'],
  ['v1', 'Service', { type: 'LoadBalancer' }, {}, 'progressing: it has no address of a balancer'],
  [
    'serving.example.org/v1',
    'Service',
    { type: 'LoadBalancer' },
    condition('Ready', 'False', { reason: 'NoImage', message: '' }),
    'progressing: Ready is False: NoImage',
  ],
  [
    'apiextensions.orch.io/v1',
    'CustomResourceDefinition',
    {},
    condition('NamesAccepted', 'False', { message: 'taken' }),
    'failed: taken',
  ],
  [
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    {},
    {},
    'progressing: Established is not said',
  ],
  ['example.org/v1', 'Widget', {}, {}, 'healthy'],
  [
    'example.org/v1',
    'Widget',
    {},
    condition('Ready', 'True', { observedGeneration: 1 }),
    'progressing: its controller has not seen it',
  ],
  [
    'example.org/v1',
    'Widget',
    {},
    condition('Reconciling', 'True', { message: 'at it' }),
    'progressing: at it',
  ],
  ['example.org/v1', 'Widget', {}, condition('Stalled', 'True', { message: 'no' }), 'failed: no'],
  ['example.org/v1', 'constructor', {}, {}, 'healthy'],
]

health(
  'a kind of another group with the same name is judged by its conditions, and what an update leaves alone is not waited for',
  () => {
    const told = rows.map(([apiVersion, kind, spec, status]) => {
      const object = { apiVersion, kind, metadata: { name: 'a', generation: 2 }, spec, status }
      const { is, why } = healthOf(object as unknown as DynamicObject)
      return why === '' ? is : `${is}: ${why}`
    })
    assert.equal(
      told,
      rows.map(([, , , , wanted]) => wanted),
    )
  },
)

health.run()
