import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { admissionNotesOf } from '../../../../../runtime/registry/registry.ts'
import { change, make, openAdmitted, pod } from '../../../../support/admission.ts'
import type { OpenRegistry } from '../../../../support/registry.ts'
import { assertRejects } from '../../../../support/rejects.ts'

const test = suite<OpenRegistry>('runtime/admission: limit ranger')

test.before(async (context) => {
  Object.assign(context, await openAdmitted())
})
test.after(({ close }) => close())

let next = 0

/** A namespace of its own with one range in it. */
async function limited(opened: OpenRegistry, ...limits: readonly object[]): Promise<string> {
  const namespace = `limited-${next++}`
  await make(opened, 'api/v1/namespaces', { metadata: { name: namespace } })
  const metadata = { name: 'range', namespace }
  await make(opened, 'api/v1/limitranges', { metadata, spec: { limits } })
  return namespace
}

function podIn(namespace: string, resources: object, more: object = {}) {
  const containers = [{ name: 'main', image: 'example/app:1', resources }]
  return pod('p', { containers, ...more }, { namespace })
}

interface PodLike {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }
  readonly spec: { readonly containers: readonly { readonly resources: object }[] }
}

test('containers get what they do not say, and it is noted (Q-14)', async (opened) => {
  const namespace = await limited(opened, {
    type: 'Container',
    default: { cpu: '500m', memory: '512Mi' },
    defaultRequest: { cpu: '100m' },
  })
  const initContainers = [{ name: 'first', image: 'example/app:1' }]
  const given = podIn(namespace, { limits: { cpu: '1' } }, { initContainers })
  const { object } = await make<PodLike>(opened, 'api/v1/pods', given)
  assert.equal(object.spec.containers[0]?.resources, {
    limits: { cpu: '1', memory: '512Mi' },
    requests: { cpu: '1', memory: '512Mi' },
  })
  assert.is(
    object.metadata.annotations?.['orch.io/limit-ranger'],
    'LimitRanger plugin set: memory request for container main; memory limit for container main; ' +
      'cpu, memory request for init container first; cpu, memory limit for init container first',
  )
})

const container = { type: 'Container' }
const bounded = (limits: object, resources: object, why: string) =>
  [limits, resources, why] as const

const refusals = [
  bounded(
    { ...container, min: { cpu: '100m' } },
    { requests: { cpu: '50m' } },
    'minimum cpu usage per Container is 100m, but request is 50m',
  ),
  bounded(
    { ...container, min: { memory: '1Mi' }, default: { cpu: '1' } },
    { requests: { cpu: '50m', memory: '1Ki' } },
    'minimum memory usage per Container is 1Mi, but request is 1Ki',
  ),
  bounded(
    { ...container, max: { cpu: '1' } },
    { limits: { cpu: '2' } },
    'maximum cpu usage per Container is 1, but limit is 2',
  ),
  bounded(
    { type: 'Pod', max: { cpu: '1' } },
    { requests: { cpu: '500m' } },
    'maximum cpu usage per Pod is 1.  No limit is specified',
  ),
  bounded(
    { type: 'Pod', min: { cpu: '1' } },
    {},
    'minimum cpu usage per Pod is 1.  No request is specified',
  ),
  bounded(
    { ...container, maxLimitRequestRatio: { cpu: '2' } },
    { requests: { cpu: '100m' }, limits: { cpu: '300m' } },
    'cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000',
  ),
  bounded(
    { type: 'Pod', min: { cpu: '1' }, max: { memory: '1Mi' } },
    { requests: { cpu: '500m' }, limits: { memory: '2Mi' } },
    '[minimum cpu usage per Pod is 1, but request is 500m, maximum memory usage per Pod is 1Mi, but limit is 2Mi]',
  ),
]

for (const [limits, resources, why] of refusals) {
  test(`a pod is refused: ${why} (Q-14)`, async (opened) => {
    const namespace = await limited(opened, limits)
    const error = await assertRejects(
      make(opened, 'api/v1/pods', podIn(namespace, resources)),
      'Forbidden',
    )
    assert.is(error.message, `pods "p" is forbidden: ${why}`)
  })
}

test('of very much that is wrong the first is told, and that there is more (Q-14)', async (opened) => {
  const namespace = await limited(opened, { ...container, max: { cpu: '1' } })
  const containers = Array.from({ length: 300 }, (_, index) => ({
    name: `c${index}`,
    image: 'example/app:1',
    resources: { limits: { cpu: '2' } },
  }))
  const crowd = pod('p', { containers }, { namespace })
  const { message } = await assertRejects(make(opened, 'api/v1/pods', crowd), 'Forbidden')
  const [, list = ''] = message.split('is forbidden: ')
  const told = list.slice(1, -1).split(', maximum ')
  assert.is(told.length, 100)
  assert.ok(list.endsWith('but limit is 2, and more]'))
})

test('a range that changes counts at once, for defaults and for bounds (Q-14)', async (opened) => {
  const namespace = await limited(opened, { ...container, max: { cpu: '1' } })
  const wide = { limits: { cpu: '2' }, requests: { cpu: '1' } }
  await assertRejects(make(opened, 'api/v1/pods', podIn(namespace, wide)), 'Forbidden')
  const limits = [{ ...container, max: { cpu: '3' }, default: { memory: '2Mi', cpu: '1' } }]
  await change(opened, 'api/v1/limitranges', 'range', { spec: { limits } }, { namespace })
  const { object } = await make<PodLike>(opened, 'api/v1/pods', podIn(namespace, wide))
  assert.equal(object.spec.containers[0]?.resources, {
    limits: { cpu: '2', memory: '2Mi' },
    requests: { cpu: '1', memory: '2Mi' },
  })
})

test('a claim keeps to the bounds of claims (Q-14)', async (opened) => {
  const namespace = await limited(opened, {
    type: 'PersistentVolumeClaim',
    min: { storage: '1Gi' },
    max: { storage: '2Gi' },
  })
  const claim = (storage: string) =>
    make(opened, 'api/v1/persistentvolumeclaims', {
      metadata: { name: `c-${storage.toLowerCase()}`, namespace },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
    })
  await claim('1Gi')
  const over = await assertRejects(claim('3Gi'), 'Forbidden')
  assert.match(
    over.message,
    'maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
  )
  const under = await assertRejects(claim('1Mi'), 'Forbidden')
  assert.match(
    under.message,
    'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi',
  )
})

test('a refusal comes with the warnings about what is refused', async (opened) => {
  const namespace = await limited(opened, {
    type: 'PersistentVolumeClaim',
    min: { storage: '1Gi' },
  })
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } }
  const metadata = { name: 'fraction', namespace }
  const claim = make(opened, 'api/v1/persistentvolumeclaims', { metadata, spec })
  const refusal = await assertRejects(claim, 'Forbidden')
  assert.equal(admissionNotesOf(refusal)?.warnings, [
    'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
  ])
})

test('a pod needs what its containers need at once, or the most that one before them needs', async (opened) => {
  const namespace = await limited(opened, { type: 'Pod', max: { cpu: '2' } })
  const limits = (cpu: string) => ({ limits: { cpu } })
  const before = (cpu: string) => [
    { name: 'first', image: 'example/app:1', resources: limits(cpu) },
  ]
  await make(opened, 'api/v1/pods', podIn(namespace, limits('1'), { initContainers: before('2') }))
  const over = podIn(namespace, limits('1'), { initContainers: before('3') })
  const error = await assertRejects(make(opened, 'api/v1/pods', over), 'Forbidden')
  assert.match(error.message, 'maximum cpu usage per Pod is 2, but limit is 3')
})

test.run()
