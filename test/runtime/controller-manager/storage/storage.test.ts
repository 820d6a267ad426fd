// Claims and volumes: protected while they are in use, made for pods that bring them along.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { events } from '../../../../generated/apis/core/v1/event.ts'
import { persistentVolumes } from '../../../../generated/apis/core/v1/persistent-volume.ts'
import { persistentVolumeClaims } from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { type PodSpec, pods } from '../../../../generated/apis/core/v1/pod.ts'
import { usesClaim } from '../../../../runtime/controller-manager/storage/claim-users.ts'
import { decideProtection } from '../../../../runtime/controller-manager/storage/protection.ts'
import { startControlPlane } from '../../../../runtime/testing/testing.ts'
import { platformScheme } from '../../../support/platform-scheme.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/controller-manager/storage')

const claimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
} as const

const containers = [{ name: 'main', image: 'work' }]
const usingClaim: PodSpec = {
  ...{ nodeName: 'a', containers, terminationGracePeriodSeconds: 0 },
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
}
const bringingOne: PodSpec = {
  containers,
  volumes: [
    {
      name: 'own',
      ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: 'b' } }, spec: claimSpec } },
    },
  ],
}

test('a finalizer is given to what stays, and taken from what goes (X-21)', () => {
  const decide = (metadata: object) => decideProtection({ metadata }, 'f')
  assert.is(decide({}), 'protect')
  assert.is(decide({ finalizers: ['f', 'g'] }), 'keep')
  assert.is(decide({ deletionTimestamp: 'x' }), 'keep')
  assert.is(decide({ deletionTimestamp: 'x', finalizers: ['f'] }), 'release')
})

test('a pod uses a claim as soon as it has a node', () => {
  const claim = {
    metadata: {
      name: 'p-own',
      namespace: 'shop',
      ownerReferences: [{ uid: 'u', controller: true }],
    },
  }
  const uses = (spec: object, metadata: object = {}) =>
    usesClaim(
      { metadata: { name: 'p', namespace: 'shop', uid: 'u', ...metadata }, spec } as never,
      claim as never,
    )
  const volumes = [{ name: 'x', persistentVolumeClaim: { claimName: 'p-own' } }]
  assert.is(uses({ nodeName: 'a', volumes }), true)
  assert.is(uses({ volumes }), false)
  assert.is(uses({ nodeName: 'a', volumes }, { namespace: 'other' }), false)
  const own = { nodeName: 'a', volumes: [{ name: 'own', ephemeral: {} }] }
  assert.is(uses(own), true)
  assert.is(uses(own, { uid: 'other' }), false)
  assert.is(uses(own, { deletionTimestamp: 'x', deletionGracePeriodSeconds: 0 }), false)
})

for (const platform of ['orch', 'kubernetes']) {
  test(`a claim stays while a pod uses it: ${platform} (X-21)`, async () => {
    const scheme = await platformScheme(platform)
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      authorization: 'RBAC',
      controllers: [
        'persistentvolumeclaim-protection-controller',
        'persistentvolume-protection-controller',
      ],
    })
    const claims = plane.client.resource(persistentVolumeClaims).in('default')
    const own = plane.client.resource(pods).in('default')
    await claims.create({ metadata: { name: 'data' }, spec: claimSpec })
    const suffix = platform === 'orch' ? 'orch.io' : 'kubernetes.io'
    await until('it is protected', async () =>
      (await claims.get('data')).metadata.finalizers?.includes(`${suffix}/pvc-protection`),
    )
    await own.create({ metadata: { name: 'p' }, spec: usingClaim })
    await claims.delete('data')
    assert.ok((await claims.get('data')).metadata.deletionTimestamp)
    await own.delete('p', { gracePeriodSeconds: 0 })
    await until('it is gone', async () => (await claims.find('data')) === undefined)

    const volumes = plane.client.resource(persistentVolumes)
    await volumes.create({
      metadata: { name: 'v' },
      spec: {
        ...{ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
        hostPath: { path: '/tmp/v' },
      },
    })
    await until('the volume is protected', async () =>
      (await volumes.get('v')).metadata.finalizers?.includes(`${suffix}/pv-protection`),
    )
    await volumes.mergePatch('v', { status: { phase: 'Bound' } }, { subresource: 'status' })
    await volumes.delete('v')
    assert.ok((await volumes.get('v')).metadata.deletionTimestamp)
    await volumes.mergePatch('v', { status: { phase: 'Released' } }, { subresource: 'status' })
    await until('it is gone', async () => (await volumes.find('v')) === undefined)
  })
}

test('a volume that comes with its pod has its claim, which is made again (T-21)', async () => {
  await using plane = await startControlPlane({
    authorization: 'RBAC',
    controllers: ['ephemeral-volume-controller'],
  })
  const claims = plane.client.resource(persistentVolumeClaims).in('default')
  const own = plane.client.resource(pods).in('default')
  const pod = await own.create({ metadata: { name: 'p' }, spec: bringingOne })
  const claim = await until('the claim is there', () => claims.find('p-own'))
  assert.equal(claim.metadata.labels, { a: 'b' })
  const [owner] = claim.metadata.ownerReferences ?? []
  assert.is(owner?.uid, pod.metadata.uid)
  assert.is(owner?.controller, true)
  assert.is(owner?.blockOwnerDeletion, true)
  await claims.delete(claim)
  await until('it is there again', async () => {
    const found = await claims.find('p-own')
    return found !== undefined && found.metadata.uid !== claim.metadata.uid
  })
})

test('a claim of that name that is of something else is told (T-21)', async () => {
  await using plane = await startControlPlane({
    authorization: 'RBAC',
    controllers: ['ephemeral-volume-controller'],
  })
  const claims = plane.client.resource(persistentVolumeClaims).in('default')
  await claims.create({ metadata: { name: 'p-own' }, spec: claimSpec })
  await plane.client
    .resource(pods)
    .in('default')
    .create({ metadata: { name: 'p' }, spec: bringingOne })
  const told = await until('it is told', async () => {
    const { items } = await plane.client.resource(events).in('default').listAll()
    return items.find(({ reason }) => reason === 'FailedBinding')
  })
  assert.is(told.source?.component, 'ephemeral_volume')
  assert.is(
    told.message,
    'ephemeral volume own: PVC default/p-own was not created for pod default/p (pod is not owner)',
  )
})

test.run()
