// Claims and volumes against the real server: bound to each other from both sides, whatever fails meanwhile.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { events } from '../../../../../generated/apis/core/v1/event.ts'
import { namespaces } from '../../../../../generated/apis/core/v1/namespace.ts'
import { persistentVolumes } from '../../../../../generated/apis/core/v1/persistent-volume.ts'
import { persistentVolumeClaims } from '../../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { pods } from '../../../../../generated/apis/core/v1/pod.ts'
import { storageClasses } from '../../../../../generated/apis/storage/v1/storage-class.ts'
import type { OrchControllerManagerConfiguration } from '../../../../../generated/config/manager/v1alpha1.ts'
import { controllers as known } from '../../../../../generated/controllers.ts'
import type { Client } from '../../../../../runtime/client/client.ts'
import {
  createControllerManager,
  defaultConfiguration,
} from '../../../../../runtime/controller-manager/controller-manager.ts'
import { silentLog } from '../../../../../runtime/observe/observe.ts'
import {
  type ControlPlane,
  explore,
  startControlPlane,
  type VirtualClock,
  virtualClock,
  type World,
} from '../../../../../runtime/testing/testing.ts'
import { badDay } from '../../../../support/fault-world.ts'
import { platformScheme } from '../../../../support/platform-scheme.ts'
import { until } from '../../../../support/until.ts'

const wiperText = `apiVersion: v1
kind: Pod
metadata: { generateName: wiper-, namespace: wipers, labels: { app: wiper } }
spec:
  restartPolicy: Never
  automountServiceAccountToken: false
  volumes: [{ name: target, nfs: { server: s, path: / } }, { name: scratch, emptyDir: {} }]
  containers: [{ name: wipe, image: 'wiper:1', volumeMounts: [{ name: target, mountPath: /t }] }]
`

const test = suite('runtime/controller-manager/storage/binding (T-14)')

const binder = 'persistentvolume-binder-controller'
const claimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
  storageClassName: '',
} as const

function volumeSpec(storage: string, more: object = {}) {
  return {
    ...{ capacity: { storage }, accessModes: ['ReadWriteOnce'] },
    ...{ hostPath: { path: '/nowhere' }, persistentVolumeReclaimPolicy: 'Retain', ...more },
  } as const as never
}

async function told(client: Client, reason: string, name: string) {
  return until(`${reason} is told`, async () => {
    const { items } = await client.resource(events).in('default').listAll()
    return items.find((one) => one.reason === reason && one.involvedObject?.name === name)
  })
}

for (const platform of ['orch', 'kubernetes']) {
  test(`a claim and a volume are bound, lost, released and free again: ${platform}`, async () => {
    const scheme = await platformScheme(platform)
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      ...{ authorization: 'RBAC', controllers: [binder] },
    })
    const { client } = plane
    const { domain } = plane.scheme.platform
    const volumes = client.resource(persistentVolumes)
    const claims = client.resource(persistentVolumeClaims).in('default')
    const phaseOf = (name: string, phase: string) =>
      until(`volume ${name} is ${phase}`, async () => {
        const found = await volumes.get(name)
        return found.status?.phase === phase && found
      })
    const claimIs = (name: string, phase: string) =>
      until(`claim ${name} is ${phase}`, async () => {
        const found = await claims.get(name)
        return found.status?.phase === phase && found
      })
    for (const size of ['5Gi', '2Gi']) {
      await volumes.create({ metadata: { name: size.toLowerCase() }, spec: volumeSpec(size) })
      await phaseOf(size.toLowerCase(), 'Available')
    }
    await claims.create({ metadata: { name: 'data' }, spec: claimSpec })
    const claim = await claimIs('data', 'Bound')
    const volume = await phaseOf('2gi', 'Bound')
    assert.equal(claim.status?.capacity, { storage: '2Gi' })
    assert.is(claim.spec?.volumeName, '2gi')
    const byController = { [`pv.${domain}/bound-by-controller`]: 'yes' }
    assert.equal(volume.metadata.annotations, byController)
    assert.equal(claim.metadata.annotations, {
      ...{ [`pv.${domain}/bind-completed`]: 'yes', ...byController },
    })
    assert.is(volume.spec?.claimRef?.uid, claim.metadata.uid)
    assert.ok(volume.status?.lastPhaseTransitionTime)
    await claims.delete('data')
    await phaseOf('2gi', 'Released')

    const meant = { claimRef: { namespace: 'default', name: 'meant' } }
    await volumes.create({ metadata: { name: 'meant' }, spec: volumeSpec('1Gi', meant) })
    await phaseOf('meant', 'Available')
    await claims.create({ metadata: { name: 'meant' }, spec: claimSpec })
    await claimIs('meant', 'Bound')
    assert.is((await phaseOf('meant', 'Bound')).metadata.annotations, undefined)
    await volumes.delete('meant')
    await claimIs('meant', 'Lost')
    assert.match(String((await told(client, 'ClaimLost', 'meant')).message), 'has lost its Persist')

    const large = { ...claimSpec, resources: { requests: { storage: '9Gi' } } }
    await claims.create({ metadata: { name: 'large' }, spec: large })
    await told(client, 'FailedBinding', 'large')
    await volumes.create({ metadata: { name: 'large' }, spec: volumeSpec('10Gi') })
    await claimIs('large', 'Bound')
  })
}

test('a provisioner elsewhere is told once a node is chosen, and a class comes afterwards', async () => {
  await using plane = await startControlPlane({ authorization: 'RBAC', controllers: [binder] })
  const { client } = plane
  const claims = client.resource(persistentVolumeClaims).in('default')
  const { storageClassName: _none, ...spec } = claimSpec
  await claims.create({ metadata: { name: 'late' }, spec })
  await told(client, 'FailedBinding', 'late')
  await client.resource(storageClasses).create({
    metadata: {
      name: 'usual',
      annotations: { 'storageclass.orch.io/is-default-class': 'true' },
    },
    ...{ provisioner: 'example.com/disks', volumeBindingMode: 'WaitForFirstConsumer' },
  })
  await told(client, 'WaitForFirstConsumer', 'late')
  const claim = await claims.get('late')
  assert.is(claim.spec?.storageClassName, 'usual')
  assert.is(claim.metadata.annotations, undefined)
  const annotations = { 'volume.orch.io/selected-node': 'n' }
  await claims.mergePatch('late', { metadata: { annotations } })
  await told(client, 'ExternalProvisioning', 'late')
  const after = await claims.get('late')
  assert.is(after.metadata.annotations?.['volume.orch.io/storage-provisioner'], 'example.com/disks')
})

/** Runs the binder with some settings of volumes; gives what stops it. */
async function runBinder(
  { client, scheme }: ControlPlane,
  clock: VirtualClock,
  settings: Partial<
    OrchControllerManagerConfiguration['PersistentVolumeBinderController']['VolumeConfiguration']
  >,
): Promise<() => Promise<void>> {
  const configuration = await defaultConfiguration()
  const { PersistentVolumeBinderController: usual } = configuration
  const manager = await createControllerManager({
    ...{ clock, log: silentLog, gates: new Set() as never, keepAlive: false, client },
    platform: scheme.platform,
    controllers: known.filter(({ controller }) => controller === binder),
    configuration: {
      ...configuration,
      PersistentVolumeBinderController: {
        ...usual,
        VolumeConfiguration: { ...usual.VolumeConfiguration, ...settings },
      },
    },
  })
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  return async () => {
    stop.abort()
    await running
  }
}

test('a folder is made for a claim, and goes with it, where that is asked for', async () => {
  const clock = virtualClock(Date.now())
  await using plane = await startControlPlane({ clock })
  const { client } = plane
  const stop = await runBinder(plane, clock, { EnableHostPathProvisioning: true })
  await client
    .resource(storageClasses)
    .create({ metadata: { name: 'folders' }, provisioner: 'orch.io/host-path' })
  const claims = client.resource(persistentVolumeClaims).in('default')
  const spec = { ...claimSpec, storageClassName: 'folders' }
  const { uid } = (await claims.create({ metadata: { name: 'data' }, spec })).metadata
  await until('the claim is bound', async () => {
    await clock.advance(1000)
    return (await claims.get('data')).status?.phase === 'Bound'
  })
  const provisioned = await told(client, 'ProvisioningSucceeded', 'data')
  assert.match(String(provisioned.message), `Successfully provisioned volume pvc-${uid}`)
  const volume = await client.resource(persistentVolumes).get(`pvc-${uid}`)
  const path = String(volume.spec?.hostPath?.path)
  assert.is(path, `/tmp/hostpath_pv/${uid}`)
  assert.ok(existsSync(path))
  mkdirSync(`${path}/inner`)
  await claims.create({ metadata: { name: 'device' }, spec: { ...spec, volumeMode: 'Block' } })
  await claims.delete('data')
  await until('the volume is gone', async () => {
    await clock.advance(1000)
    return (await client.resource(persistentVolumes).find(`pvc-${uid}`)) === undefined
  })
  assert.not.ok(existsSync(path))
  rmSync(path, { recursive: true, force: true })
  const failed = await until('the device is refused', async () => {
    await clock.advance(1000)
    const { items } = await client.resource(events).in('default').listAll()
    return items.find(({ reason }) => reason === 'ProvisioningFailed')
  })
  assert.match(String(failed.message), 'orch.io/host-path does not support block volume')
  await stop()
})

// D2.101
test('a volume is wiped by the pod of a file, whose first volume it becomes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wiper-'))
  const file = join(folder, 'wiper.yaml')
  writeFileSync(file, wiperText)
  const clock = virtualClock(Date.now())
  await using plane = await startControlPlane({ clock })
  const { client } = plane
  const { PersistentVolumeBinderController: usual } = await defaultConfiguration()
  const { PersistentVolumeRecyclerConfiguration: recycler } = usual.VolumeConfiguration
  const stop = await runBinder(plane, clock, {
    PersistentVolumeRecyclerConfiguration: { ...recycler, PodTemplateFilePathHostPath: file },
  })
  await client.resource(namespaces).create({ metadata: { name: 'wipers' } })
  const claims = client.resource(persistentVolumeClaims).in('default')
  const spec = volumeSpec('1Gi', { persistentVolumeReclaimPolicy: 'Recycle' })
  await client.resource(persistentVolumes).create({ metadata: { name: 'v' }, spec })
  await claims.create({ metadata: { name: 'data' }, spec: claimSpec })
  const eventually = <T>(what: string, look: () => Promise<T | false | undefined>) =>
    until(what, async () => {
      await clock.advance(1000)
      return look()
    })
  await eventually('bound', async () => (await claims.get('data')).status?.phase === 'Bound')
  await claims.delete('data')
  const own = client.resource(pods).in('wipers')
  const { metadata, spec: wiping } = await eventually('the pod', () => own.find('recycler-for-v'))
  assert.equal(metadata.labels, { app: 'wiper' })
  assert.equal(
    wiping?.volumes
      ?.slice(0, 2)
      .map(({ name, hostPath, emptyDir }) => [name, hostPath?.path, emptyDir]),
    [
      ['target', '/nowhere', undefined],
      ['scratch', undefined, {}],
    ],
  )
  assert.equal([wiping?.activeDeadlineSeconds, wiping?.containers[0]?.image], [60, 'wiper:1'])
  await own.mergePatch(metadata.name, { status: { phase: 'Succeeded' } }, { subresource: 'status' })
  const volumes = client.resource(persistentVolumes)
  await eventually('free', async () => (await volumes.get('v')).status?.phase === 'Available')
  await stop()
  rmSync(folder, { recursive: true })
})

test('a volume is wiped by a pod, and free again', async () => {
  await using plane = await startControlPlane({ authorization: 'RBAC', controllers: [binder] })
  const { client } = plane
  const claims = client.resource(persistentVolumeClaims).in('default')
  const volumes = client.resource(persistentVolumes)
  const own = client.resource(pods).in('default')
  const spec = volumeSpec('1Gi', { persistentVolumeReclaimPolicy: 'Recycle' })
  await volumes.create({ metadata: { name: 'v' }, spec })
  await claims.create({ metadata: { name: 'data' }, spec: claimSpec })
  await until('it is bound', async () => (await claims.get('data')).status?.phase === 'Bound')
  await claims.delete('data')
  const pod = await until('the pod is there', () => own.find('recycler-for-v'))
  assert.is(pod.spec?.volumes?.[0]?.hostPath?.path, '/nowhere')
  await own.mergePatch(
    'recycler-for-v',
    { status: { phase: 'Succeeded' } },
    { subresource: 'status' },
  )
  await until('it is free', async () => (await volumes.get('v')).status?.phase === 'Available')
  await until('the pod is gone', async () => (await own.find('recycler-for-v')) === undefined)
  assert.is((await volumes.get('v')).spec?.claimRef, undefined)
})

test('two claims never have one volume, and every claim that can be bound is, whatever fails', async () => {
  await explore(
    async (world) => {
      const { client } = world.plane
      const controllers = await badDay(world, [binder])
      for (let step = 0; step < 12; step++) {
        await disturb(world, step)
        if (world.random() < 0.3) await controllers.restart()
        await world.advance(Math.floor(world.random() * 3000))
        await assertNoneShared(client)
      }
      controllers.mend()
      for (let free = 0; free < 12; free++) {
        await client
          .resource(persistentVolumes)
          .create({ metadata: { name: `free-${free}` }, spec: volumeSpec('1Gi') })
      }
      await world.until(async () => {
        await assertNoneShared(client)
        const { items } = await client.resource(persistentVolumeClaims).in('default').listAll()
        return items.every(({ status }) => status?.phase === 'Bound')
      })
      await assertNoneShared(client)
      await controllers.stop()
    },
    { seeds: 6 },
  )
})

/** A volume comes, or a claim comes, goes, or comes again under its name. */
async function disturb({ plane: { client }, random }: World, step: number): Promise<void> {
  const claims = client.resource(persistentVolumeClaims).in('default')
  const name = `c${Math.floor(random() * 4)}`
  if (random() < 0.4) {
    const spec = volumeSpec(random() < 0.5 ? '1Gi' : '2Gi')
    await client.resource(persistentVolumes).create({ metadata: { name: `v${step}` }, spec })
    return
  }
  const found = await claims.find(name)
  if (found === undefined) await claims.create({ metadata: { name }, spec: claimSpec })
  else if (random() < 0.4) await claims.delete(name)
}

async function assertNoneShared(client: Client): Promise<void> {
  const { items: claims } = await client.resource(persistentVolumeClaims).in('default').listAll()
  const { items: volumes } = await client.resource(persistentVolumes).listAll()
  const seen = new Set<string>()
  for (const { metadata, spec, status } of claims) {
    if (status?.phase !== 'Bound') continue
    const volumeName = String(spec?.volumeName)
    assert.not.ok(seen.has(volumeName), `volume ${volumeName} has two claims`)
    seen.add(volumeName)
    const volume = volumes.find((one) => one.metadata.name === volumeName)
    assert.is(volume?.spec?.claimRef?.uid, metadata.uid)
  }
}

test.run()
