/** What controllers count, under the names that dashboards of the release know. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cronJobs } from '../../../generated/apis/batch/v1/cron-job.ts'
import { jobs } from '../../../generated/apis/batch/v1/job.ts'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { nodes } from '../../../generated/apis/core/v1/node.ts'
import { persistentVolumeClaims } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { pods } from '../../../generated/apis/core/v1/pod.ts'
import { type ControllerName, controllers } from '../../../generated/controllers.ts'
import { metrics as facts } from '../../../generated/metrics.ts'
import {
  createControllerManager,
  defaultConfiguration,
} from '../../../runtime/controller-manager/controller-manager.ts'
import { enabledGatesOf } from '../../../runtime/kernel/descriptors/enabled-gates.ts'
import { createMetrics, type Metrics, silentLog } from '../../../runtime/observe/observe.ts'
import {
  type ControlPlane,
  startControlPlane,
  type VirtualClock,
  virtualClock,
} from '../../../runtime/testing/testing.ts'

const test = suite('runtime/controller-manager: what is counted')

const minuteMs = 60_000
const podSpec = { restartPolicy: 'Never' as const, containers: [{ name: 'main', image: 'work' }] }

/** A cluster with one simulated node, and controllers that count. */
async function counting(
  names: readonly ControllerName[],
  work: (plane: ControlPlane, clock: VirtualClock, metrics: Metrics) => Promise<void>,
): Promise<void> {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock, simulatedNodes: 1, scheduler: true })
  const { platform } = plane.scheme
  const metrics = createMetrics(facts, { release: platform.release, daemon: 'controller-manager' })
  const manager = await createControllerManager({
    controllers: controllers.filter(({ controller }) => names.includes(controller)),
    ...{ client: plane.client, configuration: await defaultConfiguration(), platform },
    ...{ gates: enabledGatesOf(plane.scheme), clock, metrics, log: silentLog },
    rootCertificates: () => 'certificates',
  })
  const end = new AbortController()
  const running = manager.run(end.signal)
  await manager.ready
  try {
    await work(plane, clock, metrics)
  } finally {
    end.abort()
    await running
  }
}

/** The samples of metrics whose names begin so, without those of buckets and sums. */
function samples(metrics: Metrics, prefix: string): readonly string[] {
  const lines = metrics.text('prometheus').split('\n')
  return lines.filter((line) => line.startsWith(prefix) && !/_bucket|_sum/.test(line)).sort()
}

const ends = (exitCode: string) => ({
  metadata: {
    annotations: {
      'simulation.orch.io/duration': '1s',
      'simulation.orch.io/exit-code': exitCode,
    },
  },
  spec: podSpec,
})

test('jobs that end and their pods are counted, and how late one that is over goes', () =>
  counting(['job-controller', 'ttl-after-finished-controller'], async (plane, clock, metrics) => {
    const all = plane.client.resource(jobs).in('default')
    const ttlSecondsAfterFinished = 5
    await all.create({
      metadata: { name: 'good' },
      spec: { completions: 2, parallelism: 2, template: ends('0'), ttlSecondsAfterFinished },
    })
    await all.create({ metadata: { name: 'bad' }, spec: { backoffLimit: 0, template: ends('1') } })
    await clock.advanceAsync(minuteMs)
    assert.equal(samples(metrics, 'job_controller_'), [
      'job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="failed"} 1',
      'job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="succeeded"} 2',
      'job_controller_jobs_finished_total{completion_mode="NonIndexed",result="failed",reason="BackoffLimitExceeded"} 1',
      'job_controller_jobs_finished_total{completion_mode="NonIndexed",result="succeeded",reason=""} 1',
    ])
    assert.equal(samples(metrics, 'ttl_after_finished'), [
      'ttl_after_finished_controller_job_deletion_duration_seconds_count 1',
    ])
  }))

test('how late the job of a schedule comes is counted', () =>
  counting(['cronjob-controller'], async (plane, clock, metrics) => {
    await plane.client
      .resource(cronJobs)
      .in('default')
      .create({
        metadata: { name: 'tick' },
        spec: { schedule: '* * * * *', jobTemplate: { spec: { template: ends('0') } } },
      })
    await clock.advanceAsync(3.5 * minuteMs)
    assert.equal(samples(metrics, 'cronjob_'), [
      'cronjob_controller_job_creation_skew_duration_seconds_count 3',
    ])
  }))

test('claims that pods bring are counted, and those that could not be made', () =>
  counting(['ephemeral-volume-controller'], async (plane, clock, metrics) => {
    const { client } = plane
    const spec = {
      accessModes: ['ReadWriteOnce' as const],
      resources: { requests: { storage: '1Gi' } },
    }
    const volumes = [{ name: 'data', ephemeral: { volumeClaimTemplate: { spec } } }]
    const all = client.resource(pods).in('default')
    await all.create({ metadata: { name: 'a' }, spec: { ...podSpec, volumes } })
    await clock.advanceAsync(1000)
    assert.ok(await client.resource(persistentVolumeClaims).in('default').find('a-data'))
    assert.equal(samples(metrics, 'ephemeral_volume'), [
      'ephemeral_volume_controller_create_failures_total 0',
      'ephemeral_volume_controller_create_total 1',
    ])
  }))

test('pods that go for a taint are counted, and looks at root certificates', () =>
  counting(
    ['taint-eviction-controller', 'root-ca-certificate-publisher-controller'],
    async (plane, clock, metrics) => {
      const { client } = plane
      await client
        .resource(pods)
        .in('default')
        .create({ metadata: { name: 'a' }, spec: podSpec })
      await clock.advanceAsync(5000)
      const { items } = await client.resource(nodes).listAll()
      const taints = [{ key: 'out', effect: 'NoExecute' as const }]
      await client.resource(nodes).mergePatch(items[0]?.metadata.name ?? '', { spec: { taints } })
      await clock.advanceAsync(minuteMs)
      assert.is(await client.resource(pods).in('default').find('a'), undefined)
      assert.equal(samples(metrics, 'taint_eviction'), [
        'taint_eviction_controller_pod_deletions_total 1',
      ])
      assert.ok(await client.resource(configMaps).in('default').find('orch-root-ca.crt'))
      assert.match(
        samples(metrics, 'root_ca_cert_publisher_sync_total')[0] ?? '',
        /sync_total\{code="200"\} \d+/,
      )
    },
  ))

test.run()
