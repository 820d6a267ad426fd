import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fromStorageVersion, toStorageVersion } from '../../../../runtime/apis/apis.ts'
import type { ApiObject } from '../../../../runtime/kernel/meta/object.ts'
import { kindAt } from '../../../support/registry.ts'

/** One autoscaler as both versions see it (supplement I-16). */
const test = suite('runtime/apis/autoscaler-versions')

const older = kindAt('apis/autoscaling/v1/horizontalpodautoscalers')
const newer = kindAt('apis/autoscaling/v2/horizontalpodautoscalers')
const stored = older.storageVersion === undefined ? older : newer

interface Seen extends ApiObject {
  readonly spec: {
    readonly metrics?: unknown
    readonly targetCPUUtilizationPercentage?: number
  }
}

const across = (from: typeof older, to: typeof older, object: object): Seen => {
  const inStore = from === stored ? object : toStorageVersion(from, object as ApiObject)
  return (to === stored ? inStore : fromStorageVersion(to, inStore as ApiObject)) as Seen
}

const base = { scaleTargetRef: { kind: 'Deployment', name: 'x' }, maxReplicas: 3 }
const v2 = (metrics: readonly object[]) => ({
  kind: 'HorizontalPodAutoscaler',
  apiVersion: 'autoscaling/v2',
  metadata: { name: 'x' },
  spec: { ...base, metrics },
  status: { desiredReplicas: 0 },
})
const v1 = (spec: object, annotations: Readonly<Record<string, string>> = {}) => ({
  kind: 'HorizontalPodAutoscaler',
  apiVersion: 'autoscaling/v1',
  metadata: { name: 'x', annotations },
  spec: { ...base, ...spec },
  status: { currentReplicas: 0, desiredReplicas: 0 },
})

const key = 'autoscaling.alpha.orch.io/metrics'
const resource = (name: string, averageUtilization: number) => ({
  type: 'Resource',
  resource: { name, target: { type: 'Utilization', averageUtilization } },
})
const requests = {
  type: 'Pods',
  pods: {
    metric: { name: 'requests' },
    target: { type: 'AverageValue', averageValue: '10' },
  },
}
const plainRequests = { type: 'Pods', pods: { metricName: 'requests', targetAverageValue: '10' } }
const plainMemory = { type: 'Resource', resource: { name: 'memory', targetAverageUtilization: 60 } }

const annotated = ({ metadata }: ApiObject): unknown => {
  const { annotations = {} } = metadata as { annotations?: Readonly<Record<string, string>> }
  return annotations[key] === undefined ? undefined : JSON.parse(annotations[key])
}

test('the use of CPU is a number in version 1, and other metrics have its older form', () => {
  const seen = across(newer, older, v2([resource('cpu', 50), resource('memory', 60), requests]))
  assert.is(seen.spec.targetCPUUtilizationPercentage, 50)
  assert.equal(annotated(seen), [plainMemory, plainRequests])
})

test('what a client of version 1 wrote in that form is a metric of version 2', () => {
  const text = JSON.stringify([plainMemory, plainRequests])
  const seen = across(older, newer, v1({ targetCPUUtilizationPercentage: 50 }, { [key]: text }))
  assert.equal(seen.spec.metrics, [resource('cpu', 50), resource('memory', 60), requests])
})

test('the order of metrics survives, wherever the CPU stands', () => {
  for (const metrics of [
    [resource('cpu', 50)],
    [resource('memory', 60), resource('cpu', 50)],
    [requests, resource('cpu', 50), resource('cpu', 70), resource('memory', 60)],
    [requests],
  ]) {
    const there = across(newer, older, v2(metrics))
    assert.equal(across(older, newer, there).spec.metrics, metrics)
  }
})

test('a number that a client of version 1 changes is changed where it came from', () => {
  const there = across(newer, older, v2([resource('memory', 60), resource('cpu', 50)]))
  const changed = { ...there, spec: { ...there.spec, targetCPUUtilizationPercentage: 75 } }
  assert.equal(across(older, newer, changed).spec.metrics, [
    resource('memory', 60),
    resource('cpu', 75),
  ])
})

test('what the older form cannot say is kept as it is', () => {
  const odd = {
    type: 'Resource',
    resource: { name: 'memory', target: { type: 'AverageValue', averageUtilization: 60 } },
  }
  const there = across(newer, older, v2([odd]))
  assert.equal(annotated(there), [odd])
  assert.equal(across(older, newer, there).spec.metrics, [odd])
})

test.run()
