/** The ecosystem's JavaScript client, beyond its informer: what its typed, generic and watching parts send and read. */
import { join } from 'node:path'
import {
  AppsV1Api,
  AutoscalingV2Api,
  BatchV1Api,
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  Health,
  KubeConfig,
  KubernetesObjectApi,
  PatchStrategy,
  PolicyV1Api,
  RbacAuthorizationV1Api,
  setHeaderOptions,
  type V1Deployment,
  V1MicroTime,
  VersionApi,
  Watch,
} from '@kubernetes/client-node'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { clusterControllers, orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const client = suite('e2e: calls of the JavaScript client')
const namespace = 'default'
const labels = { app: 'web' }
const web = (name: string): V1Deployment => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { containers: [{ name: 'main', image: 'example/app:1' }] },
    },
  },
})

let running: Running
let config: KubeConfig
let core: CoreV1Api
let apps: AppsV1Api

client.before(async () => {
  const orchconfig = join(tempDirectory(), 'orchconfig')
  const platform = join(packageRoot, 'schemas/platform/kubernetes.yaml')
  const args = [
    'up',
    clusterControllers,
    '--port',
    '0',
    '--platform',
    platform,
    '--orchconfig',
    orchconfig,
  ]
  running = await startProgram(orchCommand, args)
  config = new KubeConfig()
  config.loadFromFile(orchconfig)
  core = config.makeApiClient(CoreV1Api)
  apps = config.makeApiClient(AppsV1Api)
})
client.after(async () => {
  assert.is(await running.stop(), 0)
})

/** The code and the Status of a call that fails. */
async function failure(call: Promise<unknown>): Promise<{ code: number; status: string }> {
  try {
    await call
  } catch (error) {
    const { code, body } = error as { code: number; body: string }
    return { code, status: body }
  }
  throw new Error('the call did not fail')
}

const how = (strategy: string) => setHeaderOptions('Content-Type', strategy)

client('CL-20: the four patches change what they say', async () => {
  await apps.createNamespacedDeployment({ namespace, body: web('patched') })
  const name = 'patched'
  const steps = [{ op: 'replace', path: '/spec/replicas', value: 2 }]
  const byJson = await apps.patchNamespacedDeployment(
    { name, namespace, body: steps },
    how(PatchStrategy.JsonPatch),
  )
  assert.is(byJson.spec?.replicas, 2)
  const byMerge = await apps.patchNamespacedDeployment(
    { name, namespace, body: { metadata: { labels: { tier: 'front' } } } },
    how(PatchStrategy.MergePatch),
  )
  assert.equal(byMerge.metadata?.labels, { tier: 'front' })
  const sidecar = { name: 'side', image: 'example/side:1' }
  const containers = { spec: { template: { spec: { containers: [sidecar] } } } }
  const byKey = await apps.patchNamespacedDeployment(
    { name, namespace, body: containers },
    how(PatchStrategy.StrategicMergePatch),
  )
  const names = byKey.spec?.template.spec?.containers.map((one) => one.name)
  assert.equal(names?.sort(), ['main', 'side'])
  const intent = { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 5 } }
  const apply = (force: boolean) =>
    apps.patchNamespacedDeployment(
      { name, namespace, body: intent, fieldManager: 'applier', force },
      how(PatchStrategy.ServerSideApply),
    )
  const conflict = await failure(apply(false))
  assert.is(conflict.code, 409)
  assert.match(conflict.status, 'FieldManagerConflict')
  const applied = await apply(true)
  assert.is(applied.spec?.replicas, 5)
  const records = applied.metadata?.managedFields ?? []
  assert.ok(records.some((one) => one.manager === 'applier' && one.operation === 'Apply'))
  assert.ok(records.every(({ time }) => time === undefined || time instanceof Date))
})

client('CL-20: status and scale are written apart', async () => {
  const name = 'scaled'
  const made = await apps.createNamespacedDeployment({ namespace, body: web(name) })
  const body = { ...made, status: { replicas: 1, readyReplicas: 1 } }
  const told = await apps.replaceNamespacedDeploymentStatus({ name, namespace, body })
  assert.is(told.status?.readyReplicas, 1)
  const scale = await apps.readNamespacedDeploymentScale({ name, namespace })
  assert.equal([scale.spec?.replicas, scale.status?.selector], [1, 'app=web'])
  const wanted = { ...scale, spec: { replicas: 4 } }
  const scaled = await apps.replaceNamespacedDeploymentScale({ name, namespace, body: wanted })
  assert.is(scaled.spec?.replicas, 4)
  const stale = await failure(
    apps.replaceNamespacedDeploymentScale({ name, namespace, body: wanted }),
  )
  assert.is(stale.code, 409)
})

client('pages, selectors, dry runs and strict validation reach the server', async () => {
  for (const n of [1, 2, 3]) {
    const body = { metadata: { name: `page-${n}`, labels: { set: 'page' } }, data: { n: `${n}` } }
    await core.createNamespacedConfigMap({ namespace, body })
  }
  const labelSelector = 'set=page'
  const first = await core.listNamespacedConfigMap({ namespace, labelSelector, limit: 2 })
  assert.is(first.items.length, 2)
  const token = first.metadata?._continue ?? ''
  const rest = await core.listNamespacedConfigMap({
    namespace,
    labelSelector,
    limit: 2,
    _continue: token,
  })
  assert.equal(
    rest.items.map(({ metadata }) => metadata?.name),
    ['page-3'],
  )
  const body = { metadata: { name: 'dry' } }
  await core.createNamespacedConfigMap({ namespace, body, dryRun: 'All' })
  assert.is((await failure(core.readNamespacedConfigMap({ name: 'dry', namespace }))).code, 404)
  const deleted = await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector })
  assert.is((deleted as { kind?: string }).kind, 'ConfigMapList')
})

client('a binding, an eviction and the delete of a pod', async () => {
  const body = {
    metadata: { name: 'placed' },
    spec: { containers: [{ name: 'main', image: 'example/app:1' }] },
  }
  await core.createNamespacedPod({ namespace, body })
  const target = { apiVersion: 'v1', kind: 'Node', name: 'worker' }
  await core.createNamespacedBinding({
    namespace,
    body: { metadata: { name: 'placed' }, target },
  })
  const placed = await core.readNamespacedPod({ name: 'placed', namespace })
  assert.is(placed.spec?.nodeName, 'worker')
  await core.createNamespacedPodEviction({
    name: 'placed',
    namespace,
    body: { metadata: { name: 'placed' }, deleteOptions: { gracePeriodSeconds: 0 } },
  })
  assert.is((await failure(core.readNamespacedPod({ name: 'placed', namespace }))).code, 404)
})

client('objects of other groups keep their types', async () => {
  const batch = config.makeApiClient(BatchV1Api)
  const template = {
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example/app:1' }] },
  }
  const job = await batch.createNamespacedJob({
    namespace,
    body: { metadata: { name: 'once' }, spec: { template } },
  })
  assert.is(job.spec?.backoffLimit, 6)
  const leases = config.makeApiClient(CoordinationV1Api)
  const renewTime = new V1MicroTime('2030-01-01T00:00:00.000Z')
  const lease = await leases.createNamespacedLease({
    namespace,
    body: { metadata: { name: 'lock' }, spec: { holderIdentity: 'me', renewTime } as object },
  })
  assert.is(lease.spec?.holderIdentity, 'me')
  assert.is(new Date(lease.spec?.renewTime as unknown as string).getTime(), renewTime.getTime())
  const policy = config.makeApiClient(PolicyV1Api)
  const budget = await policy.createNamespacedPodDisruptionBudget({
    namespace,
    body: {
      metadata: { name: 'kept' },
      spec: { minAvailable: '50%', selector: { matchLabels: labels } },
    },
  })
  assert.is(budget.spec?.minAvailable, '50%')
  const roles = config.makeApiClient(RbacAuthorizationV1Api)
  const role = await roles.createNamespacedRole({
    namespace,
    body: {
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    },
  })
  assert.equal(role.rules?.[0]?.verbs, ['get'])
  const scalers = config.makeApiClient(AutoscalingV2Api)
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'scaled' }
  const scaler = await scalers.createNamespacedHorizontalPodAutoscaler({
    namespace,
    body: { metadata: { name: 'more' }, spec: { maxReplicas: 3, scaleTargetRef } },
  })
  assert.is(scaler.spec?.minReplicas, 1)
})

client('the generic clients find their paths by discovery', async () => {
  const objects = KubernetesObjectApi.makeApiClient(config)
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'generic', namespace } }
  await objects.create(body)
  const read = await objects.read({ ...body, metadata: { ...body.metadata } })
  assert.is(read.metadata?.name, 'generic')
  const patch = { ...body, data: { k: 'v' } }
  const patched = await objects.patch(
    patch,
    undefined,
    undefined,
    'me',
    true,
    PatchStrategy.ServerSideApply,
  )
  assert.equal((patched as { data?: object }).data, { k: 'v' })
  const list = await objects.list('v1', 'ConfigMap', namespace)
  assert.ok(list.items.some(({ metadata }) => metadata?.name === 'generic'))
  await objects.delete(body)
  const custom = config.makeApiClient(CustomObjectsApi)
  const place = { group: 'apps', version: 'v1', namespace, plural: 'deployments' }
  const found = (await custom.listNamespacedCustomObject(place)) as { kind: string }
  assert.is(found.kind, 'DeploymentList')
})

client(
  'CL-22: a watch reads changes line by line, from a version, and ends when told',
  async () => {
    const { metadata } = await core.listNamespacedConfigMap({ namespace })
    const watch = new Watch(config)
    const resourceVersion = metadata?.resourceVersion
    const follow = (query: object) => {
      const seen: string[] = []
      const ended = new Promise<unknown>((resolve) => {
        void watch.watch(
          `/api/v1/namespaces/${namespace}/configmaps`,
          { resourceVersion, ...query },
          (type, object: { metadata: { name?: string } }) =>
            seen.push(`${type} ${object.metadata.name ?? ''}`),
          resolve,
        )
      })
      return { seen, ended }
    }
    const live = follow({})
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'w' } } })
    await core.replaceNamespacedConfigMap({
      name: 'w',
      namespace,
      body: { metadata: { name: 'w' }, data: { k: 'v' } },
    })
    await core.deleteNamespacedConfigMap({ name: 'w', namespace })
    const changes = ['ADDED w', 'MODIFIED w', 'DELETED w']
    await until('all changes came', () => live.seen.length >= changes.length)
    assert.equal(live.seen, changes)
    const again = follow({ allowWatchBookmarks: true, timeoutSeconds: 3 })
    await again.ended
    assert.equal(again.seen, [...changes, 'BOOKMARK '])
  },
)

client('CL-22: health and version are read as they are', async () => {
  const health = new Health(config)
  assert.ok(await health.readyz({}))
  assert.ok(await health.livez({}))
  const { major, minor } = await config.makeApiClient(VersionApi).getCode()
  assert.equal([major, minor], ['1', '29'])
})

client.run()
