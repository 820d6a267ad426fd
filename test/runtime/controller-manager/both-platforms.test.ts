/** Controllers under either set of names, against the real server: each in one scenario, beside the tables of their decisions. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { validatingAdmissionPolicies } from '../../../generated/apis/admissionregistration/v1beta1/policy.ts'
import { storageVersions } from '../../../generated/apis/apiserverinternal/v1alpha1.ts'
import { cronJobs } from '../../../generated/apis/batch/v1/cron-job.ts'
import { jobs } from '../../../generated/apis/batch/v1/job.ts'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { endpoints } from '../../../generated/apis/core/v1/endpoints.ts'
import { namespaces } from '../../../generated/apis/core/v1/namespace.ts'
import { nodes } from '../../../generated/apis/core/v1/node.ts'
import { persistentVolumes } from '../../../generated/apis/core/v1/persistent-volume.ts'
import { persistentVolumeClaims } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { pods } from '../../../generated/apis/core/v1/pod.ts'
import { services } from '../../../generated/apis/core/v1/service.ts'
import { endpointSlices } from '../../../generated/apis/discovery/v1.ts'
import { clusterRoles } from '../../../generated/apis/rbac/v1.ts'
import { platform as own } from '../../../generated/platform.ts'
import { type Client, createClient } from '../../../runtime/client/client.ts'
import type { Platform } from '../../../runtime/kernel/descriptors/platform.ts'
import {
  startControlPlane,
  type VirtualClock,
  virtualClock,
} from '../../../runtime/testing/testing.ts'
import { startAlphaPlane } from '../../support/alpha-plane.ts'
import { platformScheme } from '../../support/platform-scheme.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/controller-manager: both platforms')

const minuteMs = 60_000
const container = { name: 'main', image: 'work' }
const podSpec = { restartPolicy: 'Never' as const, containers: [container] }

/** What a scenario works with. */
interface World {
  readonly client: Client
  readonly clock: VirtualClock
  readonly platform: Platform
}

type Scenario = (world: World) => Promise<void>

/** Schedules and jobs that are over (T-06, T-19). */
const batch: Scenario = async ({ client, clock, platform: { domain } }) => {
  const annotations = { [`simulation.${domain}/duration`]: '1s' }
  const template = { metadata: { annotations }, spec: podSpec }
  const jobTemplate = { spec: { template, ttlSecondsAfterFinished: 90 } }
  const spec = { schedule: '* * * * *', jobTemplate, successfulJobsHistoryLimit: 9 }
  const all = client.resource(cronJobs).in('default')
  await all.create({ metadata: { name: 'tick' }, spec })
  await clock.advanceAsync(1.5 * minuteMs)
  await all.mergePatch('tick', { spec: { suspend: true } })
  const own = client.resource(jobs).in('default')
  const [made] = (await own.listAll()).items
  assert.ok(made?.metadata.annotations?.[`batch.${domain}/cronjob-scheduled-timestamp`])
  assert.equal(
    made?.status?.conditions?.map(({ type }) => type),
    ['Complete'],
  )
  await clock.advanceAsync(3 * minuteMs)
  assert.equal((await own.listAll()).items, [])
}

/** Nodes that say how large the cluster is, lose pods for a taint, and are gone (T-10, T-20). */
const machines: Scenario = async ({ client, clock, platform: { domain } }) => {
  const all = client.resource(pods).in('default')
  await all.create({ metadata: { name: 'leaves' }, spec: podSpec })
  await client.resource(nodes).create({ metadata: { name: 'brief' } })
  await all.create({ metadata: { name: 'lost' }, spec: { ...podSpec, nodeName: 'brief' } })
  await clock.advanceAsync(5000)
  const { metadata } = await client.resource(nodes).get('node-0')
  assert.is(metadata.annotations?.[`node.alpha.${domain}/ttl`], '0')
  assert.is((await all.get('leaves')).spec?.nodeName, 'node-0')
  await client.resource(nodes).delete('brief')
  const taints = [{ key: 'out', effect: 'NoExecute' as const }]
  await client.resource(nodes).mergePatch('node-0', { spec: { taints } })
  await clock.advanceAsync(2 * minuteMs)
  assert.is(await all.find('leaves'), undefined)
  assert.is(await all.find('lost'), undefined)
  await client.resource(nodes).mergePatch('node-0', { spec: { taints: null } as never })
}

/** Owners that are gone, or wait for what they own. */
const owners: Scenario = async ({ client, clock }) => {
  const all = client.resource(configMaps).in('default')
  const makeOwned = async (owner: string) => {
    const { uid } = (await all.create({ metadata: { name: owner } })).metadata
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid }
    const ownerReferences = [{ ...reference, blockOwnerDeletion: true }]
    await all.create({ metadata: { name: `${owner}-part`, ownerReferences } })
  }
  for (const owner of ['goes', 'waits']) await makeOwned(owner)
  await all.delete('goes')
  await all.delete('waits', { propagationPolicy: 'Foreground' })
  await clock.advanceAsync(minuteMs)
  for (const name of ['goes', 'goes-part', 'waits', 'waits-part'])
    assert.is(await all.find(name), undefined, name)
}

/** Endpoints that somebody writes (T-13). */
const mirrors: Scenario = async ({ client, clock, platform: { domain, api } }) => {
  const ports = [{ port: 80 }]
  const metadata = { name: 'written' }
  await client.resource(services).in('default').create({ metadata, spec: { ports } })
  const subsets = [{ addresses: [{ ip: '10.1.1.1' }], ports }]
  await client.resource(endpoints).in('default').create({ metadata, subsets })
  await clock.advanceAsync(5000)
  const { items } = await client.resource(endpointSlices).in('default').listAll()
  const labels = items.map((one) => one.metadata.labels)
  assert.equal(
    labels.filter((one) => one?.[`${domain}/service-name`] === 'written'),
    [
      {
        [`${domain}/service-name`]: 'written',
        [`endpointslice.${domain}/managed-by`]: `endpointslicemirroring-controller.${api}`,
      },
    ],
  )
}

/** A namespace that goes with what is in it, and a role that is put together (T-09, X-16, T-18). */
const cluster: Scenario = async ({ client, clock }) => {
  await client.resource(namespaces).create({ metadata: { name: 'brief' } })
  await client
    .resource(configMaps)
    .in('brief')
    .create({ metadata: { name: 'held', finalizers: ['example.com/held'] } })
  await client.resource(namespaces).delete('brief')
  await clock.advanceAsync(5000)
  const { status } = await client.resource(namespaces).get('brief')
  assert.is(status?.phase, 'Terminating')
  const told = status?.conditions?.find(({ type }) => type === 'NamespaceFinalizersRemaining')
  assert.is(told?.reason, 'SomeFinalizersRemain')
  await client
    .resource(configMaps)
    .in('brief')
    .mergePatch('held', { metadata: { finalizers: null } as never })
  await clock.advanceAsync(minuteMs)
  assert.is(await client.resource(namespaces).find('brief'), undefined)

  const labels = { part: 'yes' }
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]
  const roles = client.resource(clusterRoles)
  await roles.create({ metadata: { name: 'part', labels }, rules })
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: labels }] }
  await roles.create({ metadata: { name: 'whole' }, aggregationRule, rules: [] })
  await clock.advanceAsync(5000)
  assert.equal((await roles.get('whole')).rules, rules)
}

/** A claim that asks for a larger volume (T-14). */
const expansion: Scenario = async ({ client, clock, platform: { domain } }) => {
  const claims = client.resource(persistentVolumeClaims).in('default')
  const requests = { storage: '2Gi' }
  const accessModes = ['ReadWriteOnce'] as const
  const spec = { accessModes, resources: { requests }, volumeName: 'disk' }
  const { uid } = (await claims.create({ metadata: { name: 'disk' }, spec })).metadata
  const capacity = { storage: '1Gi' }
  const claimRef = { namespace: 'default', name: 'disk', uid }
  await client.resource(persistentVolumes).create({
    metadata: { name: 'disk' },
    spec: { capacity, accessModes, gcePersistentDisk: { pdName: 'disk' }, claimRef },
  })
  const status = { phase: 'Bound', capacity } as const
  await claims.mergePatch('disk', { status }, { subresource: 'status' })
  await clock.advanceAsync(5000)
  const { annotations } = (await claims.get('disk')).metadata
  assert.is(annotations?.[`volume.${domain}/storage-resizer`], 'pd.csi.storage.gke.io')
}

const scenarios = { batch, machines, owners, mirrors, cluster, expansion }

for (const name of ['orch', 'kubernetes']) {
  test(`schedules, lost pods, owners, mirrors, namespaces, roles and larger claims are kept: ${name}`, async () => {
    const scheme = await platformScheme(name)
    const clock = virtualClock()
    await using plane = await startControlPlane({
      ...{ clock, authorization: 'RBAC', simulatedNodes: 1, scheduler: true },
      ...(scheme && { scheme }),
      controllers: [
        ...(['cronjob-controller', 'job-controller', 'ttl-after-finished-controller'] as const),
        ...(['ttl-controller', 'taint-eviction-controller'] as const),
        ...(['pod-garbage-collector-controller', 'garbage-collector-controller'] as const),
        ...(['endpointslice-mirroring-controller', 'namespace-controller'] as const),
        'clusterrole-aggregation-controller',
        'persistentvolume-expander-controller',
      ],
    })
    const { platform } = plane.scheme
    const client = createClient(plane.transport, { clock, platform: own })
    for (const run of Object.values(scenarios)) await run({ client, clock, platform })
    await client.close()
  })

  test(`versions that servers store are forgotten with them, and policies are checked: ${name}`, async () => {
    await using plane = await startAlphaPlane(
      name,
      ['storageversion-garbage-collector-controller'],
      ...['StorageVersionAPI', 'APIServerIdentity', 'ValidatingAdmissionPolicy'],
    )
    await plane.ready
    const { client } = plane
    const all = client.resource(storageVersions)
    const made = await all.create({ metadata: { name: 'apps.deployments' }, spec: {}, status: {} })
    const gone = { apiServerID: 'gone', encodingVersion: 'v1', decodableVersions: ['v1'] }
    await all.updateStatus({
      ...made,
      status: { storageVersions: [gone], commonEncodingVersion: 'v1' },
    })
    await until('it is forgotten', async () => (await all.find('apps.deployments')) === undefined)

    const rule = { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] }
    const policies = client.resource(validatingAdmissionPolicies)
    await policies.create({
      metadata: { name: 'few' },
      spec: {
        matchConstraints: { resourceRules: [{ ...rule, operations: ['CREATE'] }] },
        validations: [{ expression: 'object.spec.replicas < "nine"' }],
      },
    })
    const { status } = await until('it is checked', async () => {
      const found = await policies.get('few')
      return found.status?.observedGeneration === 1 && found
    })
    const [warning] = status?.typeChecking?.expressionWarnings ?? []
    assert.is(warning?.fieldRef, 'spec.validations[0].expression')
  })
}

test.run()
