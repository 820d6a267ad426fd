import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Job, jobs } from '../../../../generated/apis/batch/v1/job.ts'
import { events } from '../../../../generated/apis/core/v1/event.ts'
import { type Pod, pods } from '../../../../generated/apis/core/v1/pod.ts'
import { platform as ours } from '../../../../generated/platform.ts'
import { createClient } from '../../../../runtime/client/client.ts'
import { controllersInProcess } from '../../../../runtime/controller-manager/controller-manager.ts'
import { enabledGatesOf } from '../../../../runtime/kernel/descriptors/enabled-gates.ts'
import type { Stored } from '../../../../runtime/kernel/meta/object.ts'
import { silentLog } from '../../../../runtime/observe/observe.ts'
import {
  type ControlPlane,
  explore,
  type FaultRule,
  injectFaults,
  startControlPlane,
  virtualClock,
  type World,
} from '../../../../runtime/testing/testing.ts'
import { platformScheme } from '../../../support/platform-scheme.ts'

const test = suite('runtime/controller-manager: jobs')

const template = {
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'work' }] },
} as const

function podsOf({ client }: Pick<ControlPlane, 'client'>): Promise<readonly Stored<Pod>[]> {
  return client
    .resource(pods)
    .in('default')
    .listAll()
    .then(({ items }) => items)
}

async function end(plane: ControlPlane, pod: Stored<Pod>, phase: 'Succeeded' | 'Failed') {
  const patch = { status: { phase } } as const
  await plane.client.resource(pods).mergePatch(pod.metadata, patch, { subresource: 'status' })
}

for (const platform of ['orch', 'kubernetes']) {
  test(`an indexed job runs a pod for each index, and is complete (T-05): ${platform}`, async () => {
    const scheme = await platformScheme(platform)
    const clock = virtualClock()
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      ...{ clock, authorization: 'RBAC', controllers: ['job-controller'] },
    })
    const domain = plane.scheme.platform.domain
    const all = plane.client.resource(jobs).in('default')
    await all.create({
      metadata: { name: 'x' },
      spec: { completions: 2, parallelism: 2, completionMode: 'Indexed', template },
    })
    await clock.advanceAsync(1500)
    const running = await podsOf(plane)
    const key = `batch.${domain}/job-completion-index`
    assert.equal(running.map(({ metadata }) => metadata.annotations?.[key]).sort(), ['0', '1'])
    assert.equal(running.map(({ metadata }) => metadata.labels?.[key]).sort(), ['0', '1'])
    assert.equal(running[0]?.metadata.finalizers, [`batch.${domain}/job-tracking`])
    assert.equal(running[0]?.spec?.containers[0]?.env, [
      {
        name: 'JOB_COMPLETION_INDEX',
        valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.labels['${key}']` } },
      },
    ])
    assert.is((await all.get('x')).status?.active, 2)
    for (const pod of running) await end(plane, pod, 'Succeeded')
    await clock.advanceAsync(2500)
    const { status } = await all.get('x')
    assert.is(status?.conditions?.[0]?.type, 'Complete')
    assert.is(status?.completedIndexes, '0,1')
    assert.ok(Date.parse(status?.completionTime ?? '') >= Date.parse(status?.startTime ?? ''))
    assert.is(status?.succeeded, 2)
    assert.equal(status?.uncountedTerminatedPods, {})
    for (const { metadata } of await podsOf(plane)) assert.is(metadata.finalizers, undefined)
    await clock.advanceAsync(2000)
    const told = await plane.client.resource(events).in('default').listAll()
    const reasons = told.items.map(({ reason }) => reason).sort()
    assert.equal(reasons, ['Completed', 'SuccessfulCreate', 'SuccessfulCreate'])
  })
}

test('a job that runs too long fails, and its pods go', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock, controllers: ['job-controller'] })
  const all = plane.client.resource(jobs).in('default')
  await all.create({ metadata: { name: 'x' }, spec: { activeDeadlineSeconds: 60, template } })
  await clock.advanceAsync(58_000)
  assert.is((await all.get('x')).status?.active, 1)
  await clock.advanceAsync(4000)
  const { status } = await all.get('x')
  assert.is(status?.conditions?.[0]?.reason, 'DeadlineExceeded')
  assert.is(status?.failed, 1)
  assert.equal(await podsOf(plane), [])
})

test('pods without a controller are adopted and counted; those of a job that is gone are released', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock, controllers: ['job-controller'] })
  const all = plane.client.resource(jobs).in('default')
  const selector = { matchLabels: { app: 'x' } }
  const labelled = { ...template, metadata: { labels: { app: 'x' } } }
  const wild = await plane.client
    .resource(pods)
    .in('default')
    .create({ metadata: { name: 'wild', labels: { app: 'x' } }, spec: template.spec })
  await all.create({
    metadata: { name: 'x' },
    spec: { manualSelector: true, selector, completions: 2, template: labelled },
  })
  await clock.advanceAsync(1500)
  const [adopted, ...others] = await podsOf(plane)
  assert.equal(others, [])
  assert.is(adopted?.metadata.ownerReferences?.[0]?.name, 'x')
  assert.equal(adopted?.metadata.finalizers, ['batch.orch.io/job-tracking'])
  await end(plane, wild, 'Succeeded')
  await clock.advanceAsync(2500)
  assert.is((await all.get('x')).status?.succeeded, 1)
  await all.delete('x', { propagationPolicy: 'Background' })
  await clock.advanceAsync(1500)
  for (const { metadata } of await podsOf(plane)) assert.is(metadata.finalizers, undefined)
})

/** What goes wrong now and then: conflicts, refusals, answers that are lost, watches that break. */
const faults: readonly FaultRule[] = [
  { resource: 'jobs', verb: 'update', fault: { is: 'status', code: 409 }, chance: 0.1 },
  { resource: 'jobs', verb: 'update', fault: { is: 'lost' }, chance: 0.1 },
  { resource: 'pods', verb: 'patch', fault: { is: 'lost' }, chance: 0.1 },
  { resource: 'pods', verb: 'patch', fault: { is: 'status', code: 500 }, chance: 0.1 },
  { resource: 'pods', verb: 'create', fault: { is: 'refused' }, chance: 0.1 },
  { verb: 'watch', fault: { is: 'broken', afterEvents: 3 }, chance: 0.2 },
]

/** Runs the controller until what it gives is called: then it writes nothing more, whatever it was about to do. */
async function run({ plane, clock, random, transport }: World): Promise<() => Promise<void>> {
  const faulty = injectFaults(transport('manager', plane.transport), {
    rules: faults,
    clock,
    random,
  })
  const client = createClient(faulty, { clock })
  const manager = await controllersInProcess({
    ...{ controllers: ['job-controller'], clock, log: silentLog },
    ...{ platform: ours, gates: enabledGatesOf(plane.scheme), clientAs: () => client },
  })
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  return async () => {
    faulty.setRules([{ fault: { is: 'refused' } }])
    stop.abort()
    await running
    await client.close()
  }
}

for (const completionMode of ['NonIndexed', 'Indexed'] as const) {
  test(`every pod that ends is counted once, whatever goes wrong, and no index runs again once complete: ${completionMode}`, async () => {
    await explore(
      async (world) => {
        const { plane, random } = world
        const all = plane.client.resource(jobs).in('default')
        const spec = {
          completions: 5,
          parallelism: 3,
          backoffLimit: 1000,
          completionMode,
          template,
        }
        await all.create({ metadata: { name: 'x' }, spec })
        const ended = { Succeeded: new Set<string>(), Failed: new Set<string>() }
        const isOver = ({ status }: Stored<Job>) =>
          status?.conditions?.some(({ type }) => type === 'Complete') === true
        let crash = await run(world)
        for (let step = 0; !isOver(await all.get('x')); step++) {
          assert.ok(step < 400, 'the job is complete in the end')
          await world.advance(random() * 4000)
          const [pod] = (await podsOf(plane)).filter(({ status }) => status?.phase === 'Pending')
          const phase = random() < 0.3 ? 'Failed' : 'Succeeded'
          if (pod !== undefined && random() < 0.5) {
            await end(plane, pod, phase)
            ended[phase].add(pod.metadata.uid)
          }
          if (random() < 0.15) {
            await crash()
            crash = await run(world)
          }
        }
        const { status } = await all.get('x')
        assert.is(status?.succeeded, 5)
        assert.is(ended.Succeeded.size, 5)
        assert.is(status?.failed ?? 0, ended.Failed.size)
        if (completionMode === 'Indexed') assert.is(status?.completedIndexes, '0-4')
        await crash()
      },
      { seeds: 4 },
    )
  })
}

test.run()
