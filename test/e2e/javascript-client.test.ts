/** The ecosystem's JavaScript client: typed calls, errors, and an informer that lives through a restart of the server. */
import { join } from 'node:path'
import {
  CoreV1Api,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
} from '@kubernetes/client-node'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { clusterControllers, orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const client = suite('e2e: the JavaScript client')
const home = tempDirectory()
const orchconfig = join(home, 'orchconfig')
const platform = join(packageRoot, 'schemas/platform/kubernetes.yaml')
const namespace = 'default'

let running: Running
let config: KubeConfig
let core: CoreV1Api

function start(port = '0'): Promise<Running> {
  const files = ['--orchconfig', orchconfig, '--data-dir', join(home, 'data')]
  return startProgram(orchCommand, [
    'up',
    clusterControllers,
    '--port',
    port,
    '--platform',
    platform,
    ...files,
  ])
}

const configMap = (name: string, value: string) => ({
  namespace,
  body: { metadata: { name }, data: { value } },
})

client.before(async () => {
  running = await start()
  config = new KubeConfig()
  config.loadFromFile(orchconfig)
  core = config.makeApiClient(CoreV1Api)
})
client.after(async () => {
  assert.is(await running.stop(), 0)
})

client('create, read, patch, list and delete go through typed calls', async () => {
  await core.createNamespacedConfigMap(configMap('typed', '1'))
  const read = await core.readNamespacedConfigMap({ name: 'typed', namespace })
  assert.equal(read.data, { value: '1' })
  assert.instance(read.metadata?.creationTimestamp, Date)
  const merged = await core.patchNamespacedConfigMap(
    { name: 'typed', namespace, body: { data: { value: '2' } } },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  )
  assert.equal(merged.data, { value: '2' })
  const { items } = await core.listNamespacedConfigMap({
    namespace,
    fieldSelector: 'metadata.name=typed',
  })
  assert.equal(
    items.map(({ metadata }) => metadata?.name),
    ['typed'],
  )
  const gone = await core.deleteNamespacedConfigMap({ name: 'typed', namespace })
  assert.is(gone.status, 'Success')
})

client('a failed call carries the code and the Status', async () => {
  const error = await core.readNamespacedConfigMap({ name: 'nothing', namespace }).then(
    () => undefined,
    (thrown: { code: number; body: string }) => thrown,
  )
  assert.is(error?.code, 404)
  assert.match(error?.body ?? '', 'configmaps \\"nothing\\" not found')
})

client('an informer sees every change once, through a restart of the server', async () => {
  const seen: string[] = []
  const informer = makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
    core.listNamespacedConfigMap({ namespace }),
  )
  informer.on('add', ({ metadata }) => seen.push(`add ${metadata?.name}`))
  informer.on('update', ({ metadata, data }) =>
    seen.push(`update ${metadata?.name} ${data?.value}`),
  )
  informer.on('delete', ({ metadata }) => seen.push(`delete ${metadata?.name}`))
  const disconnected = new Promise((resolve) => informer.on('error', resolve))

  await core.createNamespacedConfigMap(configMap('first', '1'))
  await informer.start()
  await core.createNamespacedConfigMap(configMap('second', '1'))
  await until('the informer said add second', () => seen.includes('add second'))

  await running.stop()
  await disconnected
  running = await start(new URL(running.url).port)
  const { body } = configMap('first', '2')
  await core.replaceNamespacedConfigMap({ name: 'first', namespace, body })
  await informer.start()
  await core.deleteNamespacedConfigMap({ name: 'second', namespace })
  await until('the informer said delete second', () => seen.includes('delete second'))
  await informer.stop()

  assert.equal(
    seen.filter((line) => !line.includes('root-ca')),
    ['add first', 'add second', 'update first 2', 'delete second'],
  )
})

client.run()
