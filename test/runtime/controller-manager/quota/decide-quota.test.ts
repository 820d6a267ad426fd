// What is in use of a quota, counted anew.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ResourceQuota } from '../../../../generated/apis/core/v1/resource-quota.ts'
import { platform } from '../../../../generated/platform.ts'
import {
  type Countable,
  decideQuota,
} from '../../../../runtime/controller-manager/quota/decide-quota.ts'
import type { AnyKind } from '../../../../runtime/kernel/descriptors/kind.ts'
import type { Stored } from '../../../../runtime/kernel/meta/object.ts'
import { usageOf } from '../../../../runtime/quota/quota.ts'

const test = suite('runtime/controller-manager: what is in use of a quota (T-16)')

const now = Date.parse('2030-01-01T00:00:00Z')
const kindOf = (plural: string, group = '') => ({ group, plural }) as AnyKind

function countable(kind: AnyKind, objects: readonly object[]): Countable {
  return {
    kind,
    objects: objects as Countable['objects'],
    usageOf: (object) => usageOf(kind, object, platform),
  }
}

/** What the status of a quota says after it was counted; undefined if nothing is written. */
function used(
  hard: Readonly<Record<string, string>>,
  all: Readonly<Record<string, readonly object[]>>,
  { status, ...spec }: Readonly<Record<string, unknown>> = {},
) {
  const quota = { metadata: {}, spec: { hard, ...spec }, ...(status !== undefined && { status }) }
  const plan = decideQuota(
    quota as unknown as Stored<ResourceQuota>,
    (resource) => {
      const [plural = '', ...group] = resource.split('.')
      const objects = all[resource]
      return objects && countable(kindOf(plural, group.join('.')), objects)
    },
    now,
  )
  return plan && { ...plan.write.status, frees: plan.frees }
}

const resources = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1', 'x.io/y': '2' } }
const pod = (spec: object = {}, rest: object = {}) => ({
  metadata: {},
  spec: { containers: [{ resources }], ...spec },
  ...rest,
})

test('pods use their count, and while they are active what they request and are limited to', () => {
  const hard = {
    pods: '9',
    'count/pods': '9',
    cpu: '2',
    'limits.cpu': '5',
    'requests.memory': '1Gi',
  }
  const ended = pod({}, { status: { phase: 'Succeeded' } })
  assert.equal(used(hard, { pods: [pod(), pod(), ended] }), {
    hard,
    used: {
      'count/pods': '3',
      cpu: '200m',
      'limits.cpu': '2',
      pods: '2',
      'requests.memory': '128Mi',
    },
    frees: false,
  })
})

test('a pod that is to go uses its resources for twice its grace period', () => {
  const going = (at: number) =>
    pod(
      {},
      {
        metadata: {
          deletionTimestamp: new Date(now + at * 1000).toISOString(),
          deletionGracePeriodSeconds: 30,
        },
      },
    )
  assert.equal(used({ pods: '9' }, { pods: [going(10), going(-20), going(-31)] })?.used, {
    pods: '2',
  })
})

test('what clusters add counts by its request', () => {
  const gpus = pod({
    containers: [{ resources: { requests: { 'x.io/gpu': '2', 'hugepages-2Mi': '4Mi' } } }],
  })
  const hard = { 'requests.x.io/gpu': '4', 'hugepages-2Mi': '8Mi', 'requests.hugepages-2Mi': '8Mi' }
  assert.equal(used(hard, { pods: [gpus] })?.used, {
    'hugepages-2Mi': '4Mi',
    'requests.hugepages-2Mi': '4Mi',
    'requests.x.io/gpu': '2',
  })
})

test('services use node ports and load balancers by their type', () => {
  const service = (type: string, spec: object = {}) => ({
    metadata: {},
    spec: { type, ports: [{}, { nodePort: 30000 }], ...spec },
  })
  const hard = { services: '9', 'services.nodeports': '9', 'services.loadbalancers': '9' }
  const services = [
    service('ClusterIP'),
    service('NodePort'),
    service('LoadBalancer', { allocateLoadBalancerNodePorts: false }),
  ]
  assert.equal(used(hard, { services })?.used, {
    services: '3',
    'services.loadbalancers': '1',
    'services.nodeports': '3',
  })
})

test('claims use storage, of their class too, in whole bytes', () => {
  const claim = (storage: string, storageClassName?: string) => ({
    metadata: {},
    spec: { resources: { requests: { storage } }, storageClassName },
  })
  const prefix = 'gold.storageclass.storage.orch.io'
  const hard = {
    persistentvolumeclaims: '9',
    'requests.storage': '9Gi',
    [`${prefix}/persistentvolumeclaims`]: '9',
    [`${prefix}/requests.storage`]: '9Gi',
  }
  const all = { persistentvolumeclaims: [claim('1Gi', 'gold'), claim('1500m')] }
  assert.equal(used(hard, all)?.used, {
    [`${prefix}/persistentvolumeclaims`]: '1',
    [`${prefix}/requests.storage`]: '1Gi',
    persistentvolumeclaims: '2',
    'requests.storage': '1073741826',
  })
})

test('objects of every kind count, by the name that some have beside', () => {
  const hard = { configmaps: '3', 'count/configmaps': '3', 'count/widgets.example.com': '1' }
  const all = { configmaps: [{ metadata: {} }], 'widgets.example.com': [{ metadata: {} }] }
  assert.equal(used(hard, all)?.used, {
    configmaps: '1',
    'count/configmaps': '1',
    'count/widgets.example.com': '1',
  })
})

test('scopes leave out pods that do not match all of them, and everything that is no pod', () => {
  const effort = pod({ containers: [{}] })
  const all = {
    pods: [pod(), effort, pod({ activeDeadlineSeconds: 1 }), pod({ priorityClassName: 'high' })],
    'widgets.example.com': [{ metadata: {} }],
  }
  const count = (spec: Readonly<Record<string, unknown>>) =>
    used({ pods: '9' }, all, spec)?.used?.pods
  assert.is(count({ scopes: ['BestEffort'] }), '1')
  assert.is(count({ scopes: ['NotBestEffort'] }), '3')
  assert.is(count({ scopes: ['NotBestEffort', 'Terminating'] }), '1')
  const isHigh = { scopeName: 'PriorityClass', operator: 'In', values: ['high'] }
  assert.is(count({ scopeSelector: { matchExpressions: [isHigh] } }), '1')
  const hard = { 'count/widgets.example.com': '1' }
  assert.equal(used(hard, all, { scopes: ['BestEffort'] })?.used, {
    'count/widgets.example.com': '0',
  })
})

test('what nothing served uses is not told, or stays as it was told', () => {
  const hard = { 'count/nothings.example.com': '1', 'x.io/y': '1', pods: '1' }
  assert.equal(used(hard, { pods: [] })?.used, { pods: '0' })
  const status = { hard, used: { 'count/nothings.example.com': '7', pods: '0' } }
  assert.is(used(hard, { pods: [] }, { status }), undefined)
  assert.equal(used(hard, { pods: [pod()] }, { status })?.used, {
    'count/nothings.example.com': '7',
    pods: '1',
  })
})

test('nothing is written where the status says the same in other words', () => {
  const status = { hard: { cpu: '1' }, used: { cpu: '0.1' } }
  assert.is(used({ cpu: '1' }, { pods: [pod()] }, { status }), undefined)
})

test('limits that changed are written, those that were taken away go, and more may be in use than is allowed', () => {
  const status = { hard: { pods: '5', cpu: '1' }, used: { pods: '2', cpu: '200m' } }
  assert.equal(used({ pods: '1' }, { pods: [pod(), pod()] }, { status }), {
    ...{ hard: { pods: '1' }, used: { pods: '2' } },
    frees: false,
  })
})

test('what is given back is said', () => {
  const status = { hard: { pods: '5' }, used: { pods: '2' } }
  assert.is(used({ pods: '5' }, { pods: [pod()] }, { status })?.frees, true)
})

test.run()
