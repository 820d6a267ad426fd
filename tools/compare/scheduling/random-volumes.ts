import type { JsonObject } from '../../../runtime/kernel/values/json.ts'
import type { Random } from '../random.ts'
import { some, words } from './random-pods.ts'
import { pathsIn, type WorldObject } from './world.ts'

/** The driver that makes the volumes of worlds. */
export const driver = 'disks.example.com'

/** The storage classes of all worlds. */
export const storageClasses: readonly WorldObject[] = [
  storageClass('late', driver, 'WaitForFirstConsumer'),
  storageClass('local', 'kubernetes.io/no-provisioner', 'WaitForFirstConsumer'),
  storageClass('now', driver, 'Immediate'),
  storageClass('zoned', driver, 'WaitForFirstConsumer', [
    { matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: ['z1'] }] },
  ]),
]

function storageClass(
  name: string,
  provisioner: string,
  volumeBindingMode: string,
  allowedTopologies?: JsonObject[],
): WorldObject {
  const kind = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' }
  const more = { provisioner, volumeBindingMode, ...(allowedTopologies && { allowedTopologies }) }
  return {
    path: '/apis/storage.k8s.io/v1/storageclasses',
    body: { ...kind, metadata: { name }, ...more },
  }
}

/** Claims and volumes of a world, and what its pods make of them. */
export function claimsAndVolumes(random: Random, namespace: string, nodes: readonly string[]) {
  const paths = pathsIn(namespace)
  const names = Array.from({ length: 1 + random.below(4) }, (_, at) => `claim-${at}`)
  const claims = names.flatMap((name) => claim(random, name, namespace))
  const exclusive = new Set(
    claims
      .filter(({ body }) => JSON.stringify(body.spec).includes('ReadWriteOncePod'))
      .map(({ body }) => body.metadata.name),
  )
  const free = Array.from({ length: random.below(4) }, (_, at) =>
    volume(random, `${namespace}-free-${at}`, nodes),
  )
  const capacities = random.chance(0.4)
    ? some(random, 2, () => capacity(random, paths.capacities))
    : []
  const storageCapacity = capacities.length > 0
  const csiDriver: WorldObject = {
    path: paths.csiDrivers,
    body: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: driver },
      spec: { storageCapacity, attachRequired: true },
    },
  }
  return {
    objects: [csiDriver, ...capacities, ...free, ...claims],
    /** Of claims that one pod alone may use, `used` has those that a pod has already. */
    volumesOf(random: Random, pod: string, used?: Set<string>): JsonObject[] {
      const source = (): JsonObject => {
        if (random.chance(0.08)) return disk(random)
        const claimName = random.chance(0.05) ? 'missing' : random.pick(names)
        return { persistentVolumeClaim: { claimName } }
      }
      const wanted = some(random, 2, source).filter(({ persistentVolumeClaim }) => {
        const name = String((persistentVolumeClaim as JsonObject | undefined)?.claimName)
        if (used === undefined || !exclusive.has(name)) return true
        return !used.has(name) && used.add(name)
      })
      return wanted.map((one, at) => ({ name: `${pod}-v${at}`, ...one }))
    },
  }
}

function disk(random: Random): JsonObject {
  const readOnly = random.chance(0.5)
  return random.chance(0.5)
    ? { gcePersistentDisk: { pdName: 'disk', readOnly } }
    : { iscsi: { targetPortal: '10.0.0.1', iqn: 'iqn.2026-01.example:a', lun: 0, readOnly } }
}

/** A claim, and its volume where it has one. */
function claim(random: Random, name: string, namespace: string): WorldObject[] {
  const paths = pathsIn(namespace)
  const storageClassName = random.pick(['late', 'late', 'local', 'now', 'zoned', 'gone'])
  const volumeName = `${namespace}-of-${name}`
  const isBound = random.chance(0.45)
  const hasVolume = isBound && random.chance(0.95)
  const spec = {
    accessModes: [random.pick(['ReadWriteOnce', 'ReadWriteOnce', 'ReadWriteOncePod'])],
    storageClassName,
    resources: { requests: { storage: random.pick(['1Gi', '5Gi']) } },
    ...(isBound && { volumeName }),
  }
  const annotations = isBound ? { 'pv.kubernetes.io/bind-completed': 'yes' } : {}
  const kind = { apiVersion: 'v1', kind: 'PersistentVolumeClaim' }
  const object: WorldObject = {
    path: paths.claims,
    body: { ...kind, metadata: { name, annotations }, spec },
    ...(random.chance(0.03) ? { status: { phase: 'Lost' } } : {}),
  }
  if (!hasVolume) return [object]
  const claimRef = { kind: 'PersistentVolumeClaim', namespace, name }
  return [volume(random, volumeName, [], claimRef), object]
}

/** A volume: of no claim, or of the one that is given. */
function volume(
  random: Random,
  name: string,
  nodes: readonly string[],
  claimRef?: JsonObject,
): WorldObject {
  const labels = random.chance(0.25)
    ? { 'topology.kubernetes.io/zone': random.pick(['z1', 'z2', 'z1__z2']) }
    : {}
  const isAt = random.chance(0.5)
  const values =
    nodes.length > 0 && random.chance(0.5) ? [random.pick(nodes)] : [random.pick(words.zones)]
  const key =
    values[0] && nodes.includes(values[0])
      ? 'kubernetes.io/hostname'
      : 'topology.kubernetes.io/zone'
  const expressions = [{ key, operator: 'In', values }]
  const required = { nodeSelectorTerms: [{ matchExpressions: expressions }] }
  const spec = {
    capacity: { storage: random.pick(['1Gi', '5Gi', '10Gi']) },
    accessModes: random.pick([
      ['ReadWriteOnce'],
      ['ReadWriteOnce', 'ReadWriteMany'],
      ['ReadWriteOncePod'],
    ]),
    storageClassName: random.pick(['late', 'local', 'local', 'zoned']),
    csi: { driver, volumeHandle: name },
    ...(isAt && { nodeAffinity: { required } }),
    ...(claimRef && { claimRef }),
  }
  return {
    path: '/api/v1/persistentvolumes',
    body: { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name, labels }, spec },
    status: { phase: claimRef ? 'Bound' : 'Available' },
  }
}

function capacity(random: Random, path: string): WorldObject {
  const kind = { apiVersion: 'storage.k8s.io/v1', kind: 'CSIStorageCapacity' }
  const zone = { 'topology.kubernetes.io/zone': random.pick(words.zones) }
  const body = {
    ...{ ...kind, metadata: { name: `room-${random.below(1_000_000)}` } },
    ...{ storageClassName: random.pick(['late', 'zoned']), nodeTopology: { matchLabels: zone } },
    ...{ capacity: random.pick(['2Gi', '20Gi']) },
    ...(random.chance(0.3) && { maximumVolumeSize: random.pick(['2Gi', '20Gi']) }),
  }
  return { path, body }
}
