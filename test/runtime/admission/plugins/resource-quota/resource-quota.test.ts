import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isStatus } from '../../../../../runtime/kernel/errors/status-error.ts'
import { change, make, openAdmitted, pod } from '../../../../support/admission.ts'
import { deployment, dry, kindAt, type OpenRegistry } from '../../../../support/registry.ts'
import { assertRejects } from '../../../../support/rejects.ts'

const test = suite<OpenRegistry>('runtime/admission: resource quota')

test.before(async (context) => {
  Object.assign(context, await openAdmitted())
})
test.after(({ close }) => close())

const quotas = 'api/v1/resourcequotas'
const maps = 'api/v1/configmaps'
let next = 0

async function quotaed(opened: OpenRegistry, spec: object): Promise<string> {
  const namespace = `quotaed-${next++}`
  await make(opened, 'api/v1/namespaces', { metadata: { name: namespace } })
  await make(opened, quotas, { metadata: { name: 'q', namespace }, spec })
  return namespace
}

async function statusOf({ registry }: OpenRegistry, namespace: string) {
  const item = await registry.get({ kind: kindAt(quotas), namespace, name: 'q' }, {})
  return (item.object() as unknown as { readonly status: Record<string, object> }).status
}

test('a new quota says at once what is in use (Q-16, T-16)', async (opened) => {
  const namespace = `quotaed-${next++}`
  await make(opened, 'api/v1/namespaces', { metadata: { name: namespace } })
  await make(opened, maps, { metadata: { name: 'a', namespace } })
  const hard = { configmaps: '3', 'count/configmaps': '3', pods: '1' }
  await make(opened, quotas, { metadata: { name: 'q', namespace }, spec: { hard } })
  assert.equal(await statusOf(opened, namespace), {
    hard,
    used: { configmaps: '1', 'count/configmaps': '1', pods: '0' },
  })
})

test('objects are charged before they are stored, and refused beyond the quota (Q-16)', async (opened) => {
  const namespace = await quotaed(opened, { hard: { configmaps: '2' } })
  await make(opened, maps, { metadata: { name: 'a', namespace } })
  await make(opened, maps, { metadata: { name: 'b', namespace } })
  const { used } = await statusOf(opened, namespace)
  assert.equal(used, { configmaps: '2' })
  const error = await assertRejects(
    make(opened, maps, { metadata: { name: 'c', namespace } }),
    'Forbidden',
  )
  assert.is(
    error.message,
    'configmaps "c" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=2, limited: configmaps=2',
  )
})

test('what was deleted is counted no more when something is to be refused (Q-16)', async (opened) => {
  const namespace = await quotaed(opened, { hard: { configmaps: '1' } })
  await make(opened, maps, { metadata: { name: 'a', namespace } })
  await opened.registry.delete({ kind: kindAt(maps), namespace, name: 'a' }, { dryRun: false })
  await make(opened, maps, { metadata: { name: 'b', namespace } })
  assert.equal((await statusOf(opened, namespace)).used, { configmaps: '1' })
})

test('of many at once, exactly as many come in as there is room (Q-16)', async (opened) => {
  const namespace = await quotaed(opened, { hard: { configmaps: '10' } })
  const all = Array.from({ length: 40 }, (_, index) =>
    make(opened, maps, { metadata: { name: `m${index}`, namespace } }).then(
      () => true,
      (error: unknown) => {
        if (isStatus(error, 'Forbidden')) return false
        throw error
      },
    ),
  )
  const made = (await Promise.all(all)).filter(Boolean).length
  const { items } = await opened.registry.list({ kind: kindAt(maps), namespace }, {})
  assert.is(items.length, 10)
  assert.is(made, 10)
  assert.equal((await statusOf(opened, namespace)).used, { configmaps: '10' })
})

test('what is not stored after all is given back (Q-16)', async (opened) => {
  const namespace = await quotaed(opened, { hard: { configmaps: '5' } })
  await make(opened, maps, { metadata: { name: 'a', namespace } })
  await assertRejects(make(opened, maps, { metadata: { name: 'a', namespace } }), 'AlreadyExists')
  assert.equal((await statusOf(opened, namespace)).used, { configmaps: '1' })
})

test('a dry run is compared and not charged (Q-16, F-11, A4.69)', async (opened) => {
  const namespace = await quotaed(opened, { hard: { configmaps: '1' } })
  await make(opened, maps, { metadata: { name: 'a', namespace } }, dry)
  assert.equal((await statusOf(opened, namespace)).used, { configmaps: '0' })
  await make(opened, maps, { metadata: { name: 'a', namespace } })
  await assertRejects(make(opened, maps, { metadata: { name: 'b', namespace } }, dry), 'Forbidden')
})

const containers = (resources: object) => [{ name: 'main', image: 'example/app:1', resources }]

test('pods are charged what they ask for and may use (Q-16)', async (opened) => {
  const hard = { pods: '2', 'requests.cpu': '1', 'limits.memory': '1Gi', cpu: '1' }
  const namespace = await quotaed(opened, { hard })
  const asks = { requests: { cpu: '600m' }, limits: { memory: '256Mi' } }
  await make(opened, 'api/v1/pods', pod('a', { containers: containers(asks) }, { namespace }))
  assert.equal((await statusOf(opened, namespace)).used, {
    pods: '1',
    'requests.cpu': '600m',
    'limits.memory': '256Mi',
    cpu: '600m',
  })
  const more = pod('b', { containers: containers(asks) }, { namespace })
  const error = await assertRejects(make(opened, 'api/v1/pods', more), 'Forbidden')
  assert.is(
    error.message,
    'pods "b" is forbidden: exceeded quota: q, requested: cpu=600m,requests.cpu=600m, used: cpu=600m,requests.cpu=600m, limited: cpu=1,requests.cpu=1',
  )
})

test('a pod says what it wants of what is limited (Q-16)', async (opened) => {
  const namespace = await quotaed(opened, { hard: { 'requests.cpu': '1', 'limits.memory': '1Gi' } })
  const error = await assertRejects(
    make(opened, 'api/v1/pods', pod('a', {}, { namespace })),
    'Forbidden',
  )
  assert.is(
    error.message,
    'pods "a" is forbidden: failed quota: q: must specify limits.memory for: main; requests.cpu for: main',
  )
})

const ending = { activeDeadlineSeconds: 5 }
const critical = { priorityClassName: 'system-node-critical' }
const byClass = (operator: string, ...values: readonly string[]) => ({
  scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator, values }] },
})
const near = (term: object) => ({
  affinity: {
    podAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, podAffinityTerm: { topologyKey: 'zone', ...term } },
      ],
    },
  },
})

const scopes: readonly [string, object, object, object][] = [
  [
    'BestEffort',
    { scopes: ['BestEffort'] },
    {},
    { containers: containers({ requests: { cpu: '1' } }) },
  ],
  ['Terminating', { scopes: ['Terminating'] }, { activeDeadlineSeconds: 5 }, {}],
  ['NotTerminating', { scopes: ['NotTerminating'] }, {}, { activeDeadlineSeconds: 5 }],
  [
    'NotBestEffort',
    { scopes: ['NotBestEffort'] },
    { containers: containers({ limits: { memory: '1Gi' } }) },
    { containers: containers({ requests: { 'ephemeral-storage': '1' } }) },
  ],
  [
    'CrossNamespacePodAffinity',
    { scopes: ['CrossNamespacePodAffinity'] },
    near({ namespaces: ['other'] }),
    near({ labelSelector: {} }),
  ],
  ['PriorityClass In', byClass('In', 'system-node-critical'), critical, {}],
  ['PriorityClass NotIn', byClass('NotIn', 'system-node-critical'), {}, critical],
  ['PriorityClass Exists', byClass('Exists'), critical, {}],
  ['PriorityClass DoesNotExist', byClass('DoesNotExist'), {}, critical],
  ['BestEffort and Terminating', { scopes: ['BestEffort', 'Terminating'] }, ending, {}],
]

for (const [name, scope, inside, outside] of scopes) {
  test(`a quota of the scope ${name} is about pods of that scope only (Q-16)`, async (opened) => {
    const namespace = await quotaed(opened, { hard: { pods: '1' }, ...scope })
    await make(opened, 'api/v1/pods', pod('out', outside, { namespace }))
    await make(opened, 'api/v1/pods', pod('in', inside, { namespace }))
    assert.equal((await statusOf(opened, namespace)).used, { pods: '1' })
    await assertRejects(make(opened, 'api/v1/pods', pod('in2', inside, { namespace })), 'Forbidden')
    await make(opened, 'api/v1/pods', pod('out2', outside, { namespace }))
  })
}

test('a quota with a scope is about nothing but pods (Q-16)', async (opened) => {
  const hard = { pods: '5', 'count/configmaps': '1' }
  const namespace = await quotaed(opened, { hard, ...byClass('Exists') })
  for (const name of ['a', 'b']) await make(opened, maps, { metadata: { name, namespace } })
  await make(opened, quotas, {
    metadata: { name: 'later', namespace },
    spec: { hard, ...byClass('DoesNotExist') },
  })
  const target = { kind: kindAt(quotas), namespace }
  for (const name of ['q', 'later']) {
    const item = await opened.registry.get({ ...target, name }, {})
    const { status } = item.object() as unknown as { readonly status: Record<string, object> }
    assert.equal(status.used, { pods: '0', 'count/configmaps': '0' })
  }
})

test('a pod is charged the most that it needs at once, and what carrying it costs (Q-16)', async (opened) => {
  const hard = { 'requests.cpu': '10', 'limits.cpu': '10', 'requests.example.com/disk': '9' }
  const namespace = await quotaed(opened, { hard })
  const overhead = { podFixed: { cpu: '250m' } }
  await make(opened, 'apis/node.orch.io/v1/runtimeclasses', {
    metadata: { name: `boxed-${namespace}` },
    handler: 'box',
    overhead,
  })
  const of = (name: string, cpu: string, more: object = {}) => {
    const amounts = { cpu, ...(name === 'main' && { 'example.com/disk': '2' }) }
    return { name, image: 'i', resources: { requests: amounts, limits: amounts }, ...more }
  }
  const spec = {
    runtimeClassName: `boxed-${namespace}`,
    initContainers: [
      of('early', '3'),
      of('beside', '1', { restartPolicy: 'Always' }),
      of('late', '2500m'),
    ],
    containers: [of('main', '1'), of('second', '1')],
  }
  await make(opened, 'api/v1/pods', pod('a', spec, { namespace }))
  assert.equal((await statusOf(opened, namespace)).used, {
    'requests.cpu': '3750m',
    'limits.cpu': '3750m',
    'requests.example.com/disk': '2',
  })
})

test('what grows is charged the difference, and refused where there is no room for it (Q-16)', async (opened) => {
  const namespace = await quotaed(opened, { hard: { services: '2', 'services.nodeports': '1' } })
  const ports = [
    { name: 'a', port: 1 },
    { name: 'b', port: 2 },
  ]
  const service = { metadata: { name: 's', namespace }, spec: { ports } }
  await make(opened, 'api/v1/services', service)
  const type = { spec: { type: 'NodePort' } }
  const error = await assertRejects(
    change(opened, 'api/v1/services', 's', type, { namespace }),
    'Forbidden',
  )
  assert.is(
    error.message,
    'services "s" is forbidden: exceeded quota: q, requested: services.nodeports=2, used: services.nodeports=0, limited: services.nodeports=1',
  )
  const fewer = { spec: { type: 'NodePort', ports: ports.slice(0, 1) } }
  await change(opened, 'api/v1/services', 's', fewer, { namespace })
  assert.equal((await statusOf(opened, namespace)).used, {
    services: '1',
    'services.nodeports': '1',
  })
})

test('what is counted anew is what was counted along the way, of every sort (Q-16, T-16)', async (opened) => {
  const hard = {
    pods: '9',
    'count/pods': '9',
    'requests.cpu': '9',
    configmaps: '9',
    'count/configmaps': '9',
    'count/deployments.apps': '9',
    services: '9',
  }
  const namespace = await quotaed(opened, { hard })
  const asks = containers({ requests: { cpu: '300m' } })
  for (const name of ['a', 'b', 'c']) {
    await make(opened, 'api/v1/pods', pod(name, { containers: asks }, { namespace }))
    await make(opened, maps, { metadata: { name, namespace } })
  }
  const web = deployment('web')
  const metadata = { ...(web.metadata as object), namespace }
  await make(opened, 'apis/apps/v1/deployments', { ...web, metadata })
  const ended = { status: { phase: 'Succeeded' } }
  await change(opened, 'api/v1/pods', 'c', ended, { namespace, subresource: 'status' })
  const target = { kind: kindAt(maps), namespace, name: 'a' }
  await opened.registry.delete(target, { dryRun: false })
  await make(opened, quotas, { metadata: { name: 'anew', namespace }, spec: { hard } })
  const item = await opened.registry.get({ kind: kindAt(quotas), namespace, name: 'anew' }, {})
  const { status } = item.object() as unknown as { readonly status: Record<string, object> }
  assert.equal(status.used, {
    pods: '2',
    'count/pods': '3',
    'requests.cpu': '600m',
    configmaps: '2',
    'count/configmaps': '2',
    'count/deployments.apps': '1',
    services: '0',
  })
})

test('many that want the last places get in as often as there are places, whatever else is counted (Q-16)', async (opened) => {
  const hard = { configmaps: '5', 'count/configmaps': '5', secrets: '3' }
  const namespace = await quotaed(opened, { hard })
  for (let round = 0; round < 3; round++) {
    const all = Array.from({ length: 20 }, (_, index) =>
      make(opened, maps, { metadata: { name: `m${index}`, namespace } }).then(
        () => 1,
        () => 0,
      ),
    )
    const made = (await Promise.all(all)).reduce<number>((count, one) => count + one, 0)
    assert.is(made, 5)
    const { items } = await opened.registry.list({ kind: kindAt(maps), namespace }, {})
    assert.is(items.length, 5)
    for (const item of items) {
      const { name } = item.object().metadata
      await opened.registry.delete({ kind: kindAt(maps), namespace, name }, { dryRun: false })
    }
  }
})

test('services and claims are counted by what they take (Q-16)', async (opened) => {
  const hard = {
    services: '5',
    'services.nodeports': '2',
    'requests.storage': '2Gi',
    'fast.storageclass.storage.orch.io/requests.storage': '1Gi',
  }
  const namespace = await quotaed(opened, { hard })
  const ports = [
    { name: 'a', port: 1 },
    { name: 'b', port: 2 },
  ]
  const service = { metadata: { name: 's', namespace }, spec: { type: 'NodePort', ports } }
  await make(opened, 'api/v1/services', service)
  const claim = (name: string, storageClassName: string) => ({
    metadata: { name, namespace },
    spec: {
      storageClassName,
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
    },
  })
  const claims = 'api/v1/persistentvolumeclaims'
  await make(opened, claims, claim('a', 'fast'))
  assert.equal((await statusOf(opened, namespace)).used, {
    services: '1',
    'services.nodeports': '2',
    'requests.storage': '1Gi',
    'fast.storageclass.storage.orch.io/requests.storage': '1Gi',
  })
  const error = await assertRejects(make(opened, claims, claim('b', 'fast')), 'Forbidden')
  assert.match(error.message, 'requested: fast.storageclass.storage.orch.io/requests.storage=1Gi')
  await make(opened, claims, claim('c', 'slow'))
})

test.run()
