import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deployments } from '../../../../generated/apis/apps/v1/deployment.ts'
import { replicaSets } from '../../../../generated/apis/apps/v1/replica-set.ts'
import { events } from '../../../../generated/apis/core/v1/event.ts'
import { pods } from '../../../../generated/apis/core/v1/pod.ts'
import { rollbackKey } from '../../../../runtime/controller-manager/workloads/deployment/revisions.ts'
import { templateHash } from '../../../../runtime/controller-manager/workloads/deployment/template-hash.ts'
import {
  type ControlPlane,
  startControlPlane,
  type VirtualClock,
  virtualClock,
} from '../../../../runtime/testing/testing.ts'
import { platformScheme } from '../../../support/platform-scheme.ts'

const test = suite('runtime/controller-manager: rollouts (T-01)')

const selector = { matchLabels: { app: 'web' } }
const specOf = (image: string) => ({
  template: {
    metadata: { labels: selector.matchLabels },
    spec: { containers: [{ name: 'main', image }] },
  },
})

type Plane = Pick<ControlPlane, 'client'>

/** Lets pods be ready as soon as they are made, until a rollout has come to rest. */
async function settle({ client }: Plane, clock: VirtualClock): Promise<void> {
  const all = client.resource(pods).in('default')
  for (let quiet = 0; quiet < 2; ) {
    await clock.advanceAsync(1000)
    const { items } = await all.listAll()
    const waiting = items.filter(({ status }) => status?.phase !== 'Running')
    quiet = waiting.length > 0 ? 0 : quiet + 1
    const lastTransitionTime = new Date(clock.now()).toISOString()
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime } as const]
    for (const { metadata } of waiting)
      await all.mergePatch(
        metadata.name,
        { status: { phase: 'Running', conditions } },
        { subresource: 'status' },
      )
  }
}

const controllers = ['deployment-controller', 'replicaset-controller'] as const

for (const name of ['orch', 'kubernetes']) {
  test(`a template is rolled out, and rolled back: ${name}`, async () => {
    const scheme = await platformScheme(name)
    const domain = scheme?.platform.domain ?? 'orch.io'
    const clock = virtualClock()
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      ...{ clock, authorization: 'RBAC', controllers },
    })
    const { client } = plane
    const all = client.resource(deployments).in('default')
    const sets = client.resource(replicaSets).in('default')
    const revisions = async () => {
      const { items } = await sets.listAll()
      return items
        .map(({ metadata, spec }) => [
          metadata.annotations?.[`deployment.${domain}/revision`],
          spec?.template?.spec?.containers[0]?.image,
          spec?.replicas,
        ])
        .sort()
    }
    await all.create({
      metadata: { name: 'web', annotations: { team: 'shop' } },
      spec: { replicas: 3, selector, ...specOf('a') },
    })
    await settle(plane, clock)
    assert.equal(await revisions(), [['1', 'a', 3]])
    const [first] = (await sets.listAll()).items
    assert.is(first?.metadata.annotations?.team, 'shop')
    const hash = first?.metadata.labels?.['pod-template-hash']
    assert.is(first?.metadata.name, `web-${hash}`)
    assert.is(first?.spec?.selector.matchLabels?.['pod-template-hash'], hash)

    await all.mergePatch('web', { spec: specOf('b') })
    await settle(plane, clock)
    assert.equal(await revisions(), [
      ['1', 'a', 0],
      ['2', 'b', 3],
    ])
    const { metadata, status } = await all.get('web')
    assert.is(metadata.annotations?.[`deployment.${domain}/revision`], '2')
    assert.equal([status?.replicas, status?.updatedReplicas, status?.availableReplicas], [3, 3, 3])
    const reasons = status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason])
    assert.equal(reasons?.sort(), [
      ['Available', 'True', 'MinimumReplicasAvailable'],
      ['Progressing', 'True', 'NewReplicaSetAvailable'],
    ])

    await all.mergePatch('web', { spec: specOf('a') })
    await settle(plane, clock)
    assert.equal(await revisions(), [
      ['2', 'b', 0],
      ['3', 'a', 3],
    ])

    await all.mergePatch('web', { metadata: { annotations: { [rollbackKey]: '0' } } })
    await settle(plane, clock)
    assert.equal(await revisions(), [
      ['3', 'a', 0],
      ['4', 'b', 3],
    ])
    assert.not((await all.get('web')).metadata.annotations?.[rollbackKey])
    const told = (await client.resource(events).in('default').listAll()).items
    const back = told.find(({ reason }) => reason === 'DeploymentRollback')
    assert.is(back?.message, 'Rolled back deployment "web" to revision 2')
    const scaling = told.filter(({ reason }) => reason === 'ScalingReplicaSet')
    assert.ok(scaling.some(({ message }) => message === `Scaled up replica set web-${hash} to 3`))
    assert.ok(scaling.every(({ source }) => source?.component === 'deployment-controller'))
  })
}

test('a deployment that does not progress says so in time, and that it does when it does', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock, authorization: 'RBAC', controllers })
  const all = plane.client.resource(deployments).in('default')
  const reason = async () =>
    (await all.get('web')).status?.conditions?.find(({ type }) => type === 'Progressing')?.reason
  await all.create({
    metadata: { name: 'web' },
    spec: { replicas: 1, progressDeadlineSeconds: 60, selector, ...specOf('a') },
  })
  await clock.advanceAsync(55_000)
  assert.ok((await reason()) !== 'ProgressDeadlineExceeded')
  await clock.advanceAsync(10_000)
  assert.is(await reason(), 'ProgressDeadlineExceeded')
  await settle(plane, clock)
  assert.is(await reason(), 'NewReplicaSetAvailable')
})

test('a name that another set has is not taken, and the set gets another one', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock, authorization: 'RBAC', controllers })
  const { client } = plane
  const sets = client.resource(replicaSets).in('default')
  const all = client.resource(deployments).in('default')
  const spec = { replicas: 1, paused: true, selector, ...specOf('a') }
  await all.create({ metadata: { name: 'web' }, spec })
  await clock.advanceAsync(1000)
  const { template } = (await all.get('web')).spec ?? {}
  const taken = `web-${templateHash(template ?? {}, undefined)}`
  const others = { matchLabels: { app: 'other' } }
  const other = { ...specOf('a').template, metadata: { labels: others.matchLabels } }
  await sets.create({ metadata: { name: taken }, spec: { selector: others, template: other } })
  await all.mergePatch('web', { spec: { paused: false } })
  await settle(plane, clock)
  const { status } = await all.get('web')
  assert.equal([status?.collisionCount, status?.availableReplicas], [1, 1])
  const names = (await sets.listAll()).items.map(({ metadata }) => metadata.name)
  assert.is(names.length, 2)
  assert.ok(names.includes(taken))
})

test('an idle deployment costs no request', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock, authorization: 'RBAC', controllers })
  const all = plane.client.resource(deployments).in('default')
  await all.create({ metadata: { name: 'web' }, spec: { replicas: 2, selector, ...specOf('a') } })
  await settle(plane, clock)
  const { resourceVersion } = (await all.get('web')).metadata
  await clock.advanceAsync(3_600_000)
  assert.is((await all.get('web')).metadata.resourceVersion, resourceVersion)
})

test.run()
