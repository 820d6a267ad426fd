// Who enlarges a volume, and which versions servers store.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { events } from '../../../../generated/apis/core/v1/event.ts'
import { persistentVolumes } from '../../../../generated/apis/core/v1/persistent-volume.ts'
import { persistentVolumeClaims } from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { platform } from '../../../../generated/platform.ts'
import { bindingNames } from '../../../../runtime/controller-manager/storage/binding/binding-names.ts'
import { decideExpansion } from '../../../../runtime/controller-manager/storage/expansion.ts'
import { decideStorageVersion } from '../../../../runtime/controller-manager/storage/storage-versions.ts'
import { startControlPlane } from '../../../../runtime/testing/testing.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/controller-manager/storage: expansion and storage versions')

test('a claim that asks for more is told who enlarges its volume', async () => {
  await using plane = await startControlPlane({
    authorization: 'RBAC',
    controllers: ['persistentvolume-expander-controller'],
  })
  const { client } = plane
  const claims = client.resource(persistentVolumeClaims).in('default')
  const requests = { storage: '2Gi' }
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests }, volumeName: 'v' } as const
  const { uid } = (await claims.create({ metadata: { name: 'data' }, spec })).metadata
  const capacity = { storage: '1Gi' }
  await client.resource(persistentVolumes).create({
    metadata: { name: 'v' },
    spec: {
      ...{ capacity, accessModes: ['ReadWriteOnce'] },
      gcePersistentDisk: { pdName: 'disk' },
      claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'data', uid },
    },
  })
  const status = { phase: 'Bound', capacity } as const
  await claims.mergePatch('data', { status }, { subresource: 'status' })
  const told = await until('it is told', async () => {
    const { items } = await client.resource(events).in('default').listAll()
    return items.find(({ reason }) => reason === 'ExternalExpanding')
  })
  assert.is(
    told.message,
    'CSI migration enabled for orch.io/gce-pd; waiting for external resizer to expand the pvc',
  )
  await until('its driver is named', async () => {
    const { annotations } = (await claims.get('data')).metadata
    return annotations?.['volume.orch.io/storage-resizer'] === 'pd.csi.storage.gke.io'
  })
})

test('a volume of no cloud is enlarged by something that is not known here', () => {
  const { driver, event } = decideExpansion(
    { spec: { csi: { driver: 'x', volumeHandle: 'y' } } } as never,
    bindingNames(platform),
  )
  assert.is(driver, undefined)
  assert.is(event.type, 'Warning')
  assert.is(event.message, 'waiting for an external controller to expand this PVC')
})

const server = (apiServerID: string, encodingVersion: string) => ({
  ...{ apiServerID, encodingVersion, decodableVersions: [encodingVersion] },
})

test('what is known of servers that are gone is forgotten', () => {
  const version = (...all: readonly object[]) =>
    ({ metadata: { name: 'x', generation: 1 }, status: { storageVersions: all } }) as never
  const both = version(server('a', 'v1'), server('b', 'v2'))
  assert.is(decideStorageVersion(both, new Set(['a', 'b']), 0), undefined)
  assert.is(decideStorageVersion(both, new Set(), 0), 'delete')
  const left = decideStorageVersion(both, new Set(['a']), 0)
  assert.ok(typeof left === 'object')
  assert.is(left.commonEncodingVersion, 'v1')
  assert.is(left.conditions?.[0]?.reason, 'CommonEncodingVersionSet')
  const three = version(server('a', 'v1'), server('b', 'v2'), server('c', 'v1'))
  const differing = decideStorageVersion(three, new Set(['a', 'b']), 0)
  assert.ok(typeof differing === 'object')
  assert.is(differing.commonEncodingVersion, undefined)
  assert.is(differing.conditions?.[0]?.status, 'False')
})

test.run()
