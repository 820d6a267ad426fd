/** What controllers count, under the names that dashboards of the release know. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { replicaSets } from '../../../generated/apis/apps/v1/replica-set.ts'
import { horizontalPodAutoscalers } from '../../../generated/apis/autoscaling/v2/horizontal-pod-autoscaler.ts'
import { cronJobs } from '../../../generated/apis/batch/v1/cron-job.ts'
import { jobs } from '../../../generated/apis/batch/v1/job.ts'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { endpoints } from '../../../generated/apis/core/v1/endpoints.ts'
import { nodes } from '../../../generated/apis/core/v1/node.ts'
import { persistentVolumes } from '../../../generated/apis/core/v1/persistent-volume.ts'
import { persistentVolumeClaims } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { pods } from '../../../generated/apis/core/v1/pod.ts'
import { services } from '../../../generated/apis/core/v1/service.ts'
import { storageClasses } from '../../../generated/apis/storage/v1/storage-class.ts'
import { type ControllerName, controllers } from '../../../generated/controllers.ts'
import { metrics as facts } from '../../../generated/metrics.ts'
import {
  type ControllerManagerOptions,
  createControllerManager,
  defaultConfiguration,
} from '../../../runtime/controller-manager/controller-manager.ts'
import { enabledGatesOf } from '../../../runtime/kernel/descriptors/enabled-gates.ts'
import { createMetrics, type Metrics, silentLog } from '../../../runtime/observe/observe.ts'
import {
  type ControlPlane,
  type ControlPlaneOptions,
  memoryCloud,
  startControlPlane,
  type VirtualClock,
  virtualClock,
} from '../../../runtime/testing/testing.ts'

const test = suite('runtime/controller-manager: what is counted')

const minuteMs = 60_000
const podSpec = { restartPolicy: 'Never' as const, containers: [{ name: 'main', image: 'work' }] }

interface Settings extends Pick<ControllerManagerOptions, 'cloud'> {
  readonly clusterCIDR?: string
  readonly use?: Middleware
}

type Middleware = NonNullable<ControlPlaneOptions['use']>[number]

/** A cluster with one simulated node, and controllers that count. */
async function counting(
  names: readonly ControllerName[],
  work: (plane: ControlPlane, clock: VirtualClock, metrics: Metrics) => Promise<void>,
  { cloud, clusterCIDR = '', use }: Settings = {},
): Promise<void> {
  const clock = virtualClock()
  const programs = { clock, simulatedNodes: 1, scheduler: true }
  await using plane = await startControlPlane({ ...programs, ...(use && { use: [use] }) })
  const { platform } = plane.scheme
  const metrics = createMetrics(facts, { release: platform.release, daemon: 'controller-manager' })
  const usual = await defaultConfiguration()
  const ranges = { AllocateNodeCIDRs: clusterCIDR !== '', ClusterCIDR: clusterCIDR }
  const configuration = { ...usual, OrchCloudShared: { ...usual.OrchCloudShared, ...ranges } }
  const manager = await createControllerManager({
    controllers: controllers.filter(({ controller }) => names.includes(controller)),
    ...{ client: plane.client, configuration, platform, ...(cloud && { cloud }) },
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

/** Every metric that begins so has counted something, but for those of errors. */
function assertMoved(metrics: Metrics, prefixes: readonly string[]): void {
  const lines = prefixes.flatMap((prefix) => samples(metrics, prefix))
  const still = facts
    .map(({ name }) => name)
    .filter((name) => prefixes.some((prefix) => name.startsWith(prefix)) && !name.includes('error'))
    .filter((name) => !lines.some((line) => line.startsWith(name) && !line.endsWith(' 0')))
  assert.equal(still, [])
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

test('jobs, their pods and indexes are counted, and how late one comes that a schedule asks for', () =>
  counting(
    ['job-controller', 'ttl-after-finished-controller', 'cronjob-controller'],
    async (plane, clock, metrics) => {
      const all = plane.client.resource(jobs).in('default')
      const ttlSecondsAfterFinished = 5
      await all.create({
        metadata: { name: 'good' },
        spec: { completions: 2, parallelism: 2, template: ends('0'), ttlSecondsAfterFinished },
      })
      await all.create({
        metadata: { name: 'bad' },
        spec: { backoffLimit: 0, template: ends('1') },
      })
      const numbered = { completionMode: 'Indexed', completions: 3, parallelism: 3 } as const
      const onExitCodes = { operator: 'In', values: [7] } as const
      const podFailurePolicy = { rules: [{ action: 'FailJob', onExitCodes }] } as const
      await all.create({ metadata: { name: 'many' }, spec: { ...numbered, template: ends('0') } })
      await all.create({
        metadata: { name: 'policy' },
        spec: { ...numbered, completions: 1, podFailurePolicy, template: ends('7') },
      })
      await clock.advanceAsync(minuteMs)
      const seen = samples(metrics, 'job_controller_')
      const syncs = (line: string) => line.includes('job_sync')
      assert.equal(
        seen.filter((line) => !syncs(line)),
        [
          'job_controller_job_finished_indexes_total{status="succeeded",backoffLimit="global"} 3',
          'job_controller_job_pods_creation_total{reason="new",status="succeeded"} 7',
          'job_controller_job_pods_finished_total{completion_mode="Indexed",result="failed"} 1',
          'job_controller_job_pods_finished_total{completion_mode="Indexed",result="succeeded"} 3',
          'job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="failed"} 1',
          'job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="succeeded"} 2',
          'job_controller_jobs_finished_total{completion_mode="Indexed",result="failed",reason="PodFailurePolicy"} 1',
          'job_controller_jobs_finished_total{completion_mode="Indexed",result="succeeded",reason=""} 1',
          'job_controller_jobs_finished_total{completion_mode="NonIndexed",result="failed",reason="BackoffLimitExceeded"} 1',
          'job_controller_jobs_finished_total{completion_mode="NonIndexed",result="succeeded",reason=""} 1',
          'job_controller_pod_failures_handled_by_failure_policy_total{action="FailJob"} 1',
          'job_controller_terminated_pods_tracking_finalizer_total{event="add"} 7',
          'job_controller_terminated_pods_tracking_finalizer_total{event="delete"} 7',
        ],
      )
      for (const action of ['pods_created', 'tracking']) {
        const labels = `completion_mode="Indexed",result="success",action="${action}"`
        for (const name of ['job_syncs_total', 'job_sync_duration_seconds_count'])
          assert.ok(
            seen.some((line) => line.startsWith(`job_controller_${name}{${labels}}`)),
            `${name} ${action}`,
          )
      }
      assert.equal(samples(metrics, 'ttl_after_finished'), [
        'ttl_after_finished_controller_job_deletion_duration_seconds_count 1',
      ])
      const jobTemplate = { spec: { template: ends('0') } }
      await plane.client
        .resource(cronJobs)
        .in('default')
        .create({ metadata: { name: 'tick' }, spec: { schedule: '* * * * *', jobTemplate } })
      await clock.advanceAsync(3.5 * minuteMs)
      assert.equal(samples(metrics, 'cronjob_'), [
        'cronjob_controller_job_creation_skew_duration_seconds_count 3',
      ])
    },
  ))

const web = { app: 'web' }

/** Pods behind a service, Endpoints that somebody writes, and an autoscaler of the pods. */
async function makeWorkload({ client }: ControlPlane): Promise<void> {
  const template = { metadata: { labels: web }, spec: { containers: podSpec.containers } }
  await client
    .resource(replicaSets)
    .in('default')
    .create({
      metadata: { name: 'web' },
      spec: { replicas: 3, selector: { matchLabels: web }, template },
    })
  const ports = [{ port: 80 }]
  const all = client.resource(services).in('default')
  await all.create({ metadata: { name: 'web' }, spec: { selector: web, ports } })
  await all.create({ metadata: { name: 'written' }, spec: { ports } })
  const addresses = [{ ip: '10.1.1.1' }, { ip: '10.1.1.2' }]
  await client
    .resource(endpoints)
    .in('default')
    .create({ metadata: { name: 'written' }, subsets: [{ addresses, ports }] })
}

test('slices are counted, and pods of replica sets that go', () =>
  counting(
    ['replicaset-controller', 'endpointslice-controller', 'endpointslice-mirroring-controller'],
    async (plane, clock, metrics) => {
      const { client } = plane
      await makeWorkload(plane)
      await clock.advanceAsync(minuteMs)
      const gauges = (who: string) =>
        samples(metrics, who).filter((line) => /desired|num_endpoint_slices/.test(line))
      assert.equal(gauges('endpoint_slice_controller'), [
        'endpoint_slice_controller_desired_endpoint_slices 1',
        'endpoint_slice_controller_endpoints_desired 3',
        'endpoint_slice_controller_num_endpoint_slices 1',
      ])
      assert.equal(gauges('endpoint_slice_mirroring'), [
        'endpoint_slice_mirroring_controller_desired_endpoint_slices 1',
        'endpoint_slice_mirroring_controller_endpoints_desired 2',
        'endpoint_slice_mirroring_controller_num_endpoint_slices 1',
      ])
      await client
        .resource(replicaSets)
        .in('default')
        .mergePatch('web', { spec: { replicas: 1 } })
      await clock.advanceAsync(minuteMs)
      assertMoved(metrics, ['endpoint_slice_', 'replicaset_'])
      await client.resource(endpoints).in('default').delete('written')
      await clock.advanceAsync(minuteMs)
      assert.is(gauges('endpoint_slice_controller')[1]?.endsWith(' 1'), true)
      assert.is(gauges('endpoint_slice_mirroring')[1]?.endsWith(' 0'), true)
      assert.equal(samples(metrics, 'replicaset_controller'), [
        'replicaset_controller_sorting_deletion_age_ratio_count 2',
      ])
    },
  ))

test('kinds that could not be looked up are counted, and no others', () => {
  let away = false
  const use: Middleware = (context, next) => {
    const isDiscovery =
      away && /^[/]apis?([/]|$)/.test(context.path) && context.path.split('/').length < 5
    if (!isDiscovery) return next()
    context.status = 500
    return Promise.resolve()
  }
  return counting(
    ['garbage-collector-controller'],
    async (_, clock, metrics) => {
      const errors = () =>
        samples(metrics, 'garbagecollector_controller_resources_sync_error_total')
      await clock.advanceAsync(minuteMs)
      assert.equal(errors(), ['garbagecollector_controller_resources_sync_error_total 0'])
      away = true
      await clock.advanceAsync(31_000)
      assert.not.equal(errors(), ['garbagecollector_controller_resources_sync_error_total 0'])
    },
    { use },
  )
})

test('looks at autoscalers are counted, and at what they measure', () =>
  counting(['horizontal-pod-autoscaler-controller'], async (plane, clock, metrics) => {
    const { client } = plane
    await makeWorkload(plane)
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web' }
    const target = { type: 'Utilization', averageUtilization: 50 } as const
    await client
      .resource(horizontalPodAutoscalers)
      .in('default')
      .create({
        metadata: { name: 'web' },
        spec: {
          ...{ scaleTargetRef, minReplicas: 4, maxReplicas: 8 },
          metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
        },
      })
    await client
      .resource(horizontalPodAutoscalers)
      .in('default')
      .create({
        metadata: { name: 'odd' },
        spec: { scaleTargetRef: { ...scaleTargetRef, apiVersion: 'a/b/c' }, maxReplicas: 8 },
      })
    await clock.advanceAsync(31_000)
    const set = client.resource(replicaSets).in('default')
    await set.mergePatch('web', { status: { replicas: 4 } }, { subresource: 'status' })
    const seen = samples(metrics, 'horizontal_pod_autoscaler_controller')
    const prefix = 'horizontal_pod_autoscaler_controller_reconciliations_total'
    const action = (what: string, error: string) => `${prefix}{action="${what}",error="${error}"} 1`
    assert.ok(seen.includes(action('scale_up', 'none')))
    assert.ok(seen.some((line) => line.startsWith(`${prefix}{action="none",error="spec"}`)))
    await clock.advanceAsync(15_000)
    const computed = 'horizontal_pod_autoscaler_controller_metric_computation_total'
    assert.equal(samples(metrics, computed), [
      `${computed}{action="none",error="internal",metric_type="Resource"} 2`,
    ])
    assertMoved(metrics, ['horizontal_'])
  }))

/** A volume that a driver makes and attaches, or a folder of a node. */
const volume = (more: object) =>
  ({ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...more }) as never

test('claims and volumes are counted, and what is done to them', () =>
  counting(
    [
      ...(['ephemeral-volume-controller', 'persistentvolume-binder-controller'] as const),
      'persistentvolume-attach-detach-controller',
    ],
    async (plane, clock, metrics) => {
      const { client } = plane
      const { domain } = plane.scheme.platform
      const [node] = (await client.resource(nodes).listAll()).items
      const { name: nodeName = '' } = node?.metadata ?? {}
      const annotations = { [`volumes.${domain}/controller-managed-attach-detach`]: 'true' }
      await client.resource(nodes).mergePatch(nodeName, { metadata: { annotations } })
      const csi = { driver: 'disks.example.com', volumeHandle: 'one' }
      const claimRef = { namespace: 'default', name: 'a-data' }
      const volumesOf = client.resource(persistentVolumes)
      await volumesOf.create({ metadata: { name: 'one' }, spec: volume({ csi, claimRef }) })
      await volumesOf.create({ metadata: { name: 'idle' }, spec: volume({ nfs: share }) })
      const spec = {
        ...{ accessModes: ['ReadWriteOnce' as const], storageClassName: '' },
        resources: { requests: { storage: '1Gi' } },
      }
      const volumes = [{ name: 'data', ephemeral: { volumeClaimTemplate: { spec } } }]
      const all = client.resource(pods).in('default')
      await all.create({ metadata: { name: 'a' }, spec: { ...podSpec, nodeName, volumes } })
      await clock.advanceAsync(minuteMs)
      const { storageClassName: _, ...withoutClass } = spec
      const claims = client.resource(persistentVolumeClaims).in('default')
      const resources = { requests: { storage: '5Gi' } }
      await claims.create({ metadata: { name: 'later' }, spec: { ...withoutClass, resources } })
      const usual = { [`storageclass.${domain}/is-default-class`]: 'true' }
      await client.resource(storageClasses).create({
        metadata: { name: 'folders', annotations: usual },
        provisioner: `${domain}/host-path`,
      })
      await clock.advanceAsync(minuteMs)
      const isCount = (line: string) => !line.includes('error')
      assert.equal(
        [
          ...samples(metrics, 'ephemeral_volume'),
          ...samples(metrics, 'pv_collector'),
          ...samples(metrics, 'retroactive'),
          ...samples(metrics, 'storage_count'),
          ...samples(metrics, 'attachdetach'),
        ].filter(isCount),
        [
          'ephemeral_volume_controller_create_failures_total 0',
          'ephemeral_volume_controller_create_total 1',
          'pv_collector_bound_pv_count{storage_class=""} 1',
          'pv_collector_bound_pvc_count{namespace="default"} 1',
          `pv_collector_total_pv_count{plugin_name="${domain}/csi:disks.example.com",volume_mode="Filesystem"} 1`,
          `pv_collector_total_pv_count{plugin_name="${domain}/nfs",volume_mode="Filesystem"} 1`,
          'pv_collector_unbound_pv_count{storage_class=""} 1',
          'pv_collector_unbound_pvc_count{namespace="default"} 1',
          'retroactive_storageclass_total 1',
          `storage_count_attachable_volumes_in_use{node="${nodeName}",volume_plugin="${domain}/csi:disks.example.com"} 1`,
          `attachdetach_controller_total_volumes{plugin_name="${domain}/csi:disks.example.com",state="actual_state_of_world"} 1`,
          `attachdetach_controller_total_volumes{plugin_name="${domain}/csi:disks.example.com",state="desired_state_of_world"} 1`,
        ],
      )
      assert.match(
        samples(metrics, 'volume_operation_total_errors')[0] ?? '',
        new RegExp(`{plugin_name="${domain}/host-path",operation_name="provision"} \\d+`),
      )
      const away = { key: `node.${domain}/out-of-service`, effect: 'NoSchedule' as const }
      await client.resource(nodes).mergePatch(nodeName, { spec: { taints: [away] } })
      await all.delete('a', { gracePeriodSeconds: 0 })
      await clock.advanceAsync(minuteMs)
      assert.equal(samples(metrics, 'attach_detach_controller'), [
        'attach_detach_controller_attachdetach_controller_forced_detaches{reason="out-of-service"} 1',
      ])
    },
  ))

const share = { server: 'files.example.com', path: '/' }

test('nodes, their ranges and their balancers are counted, and pods that go for a taint or for want of a node', () =>
  counting(
    [
      ...(['taint-eviction-controller', 'node-lifecycle-controller'] as const),
      ...(['node-ipam-controller', 'pod-garbage-collector-controller'] as const),
      ...(['service-lb-controller', 'root-ca-certificate-publisher-controller'] as const),
    ],
    async (plane, clock, metrics) => {
      const { client } = plane
      const all = client.resource(pods).in('default')
      await all.create({ metadata: { name: 'a' }, spec: podSpec })
      await client
        .resource(services)
        .in('default')
        .create({
          metadata: { name: 'web' },
          spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
        })
      await clock.advanceAsync(10_000)
      const here = (await client.resource(nodes).listAll()).items[0]?.metadata.name ?? ''
      await client.resource(nodes).create({ metadata: { name: 'silent' } })
      await client.resource(nodes).create({ metadata: { name: 'brief' } })
      await all.create({ metadata: { name: 'b' }, spec: { ...podSpec, nodeName: 'brief' } })
      await clock.advanceAsync(4 * minuteMs)
      await client.resource(nodes).delete('brief')
      const taints = [{ key: 'out', effect: 'NoExecute' as const }]
      await client.resource(nodes).mergePatch(here, { spec: { taints } })
      await clock.advanceAsync(2 * minuteMs)
      assert.is(await all.find('a'), undefined)
      assert.is(await all.find('b'), undefined)
      assert.equal(
        [
          ...samples(metrics, 'taint_eviction'),
          ...samples(metrics, 'node_collector').filter((line) => !line.includes('seconds')),
          ...samples(metrics, 'node_ipam').filter((line) => !line.includes('usage')),
          ...samples(metrics, 'pod_gc'),
        ],
        [
          'taint_eviction_controller_pod_deletion_duration_seconds_count 1',
          'taint_eviction_controller_pod_deletions_total 1',
          'node_collector_evictions_total{zone=""} 2',
          'node_collector_unhealthy_nodes_in_zone{zone=""} 1',
          'node_collector_zone_health{zone=""} 50',
          'node_collector_zone_size{zone=""} 2',
          'node_ipam_controller_cidrset_allocation_tries_per_request_count{clusterCIDR="10.9.0.0/16"} 3',
          'node_ipam_controller_cidrset_cidrs_allocations_total{clusterCIDR="10.9.0.0/16"} 3',
          'node_ipam_controller_cidrset_cidrs_releases_total{clusterCIDR="10.9.0.0/16"} 1',
          'node_ipam_controller_cirdset_max_cidrs{clusterCIDR="10.9.0.0/16"} 256',
          'pod_gc_collector_force_delete_pods_total{namespace="default",reason="orphaned"} 1',
        ],
      )
      assertMoved(metrics, ['service_controller', 'node_', 'root_ca'])
      assert.ok(await client.resource(configMaps).in('default').find('orch-root-ca.crt'))
    },
    { cloud: memoryCloud(), clusterCIDR: '10.9.0.0/16' },
  ))

test.run()
