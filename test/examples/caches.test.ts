// An operator whose kind has two versions: its controller, its package, and the package installed into a server that knows neither.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createManager, isStatus } from 'orch'
import { statefulSets } from 'orch/generated/apis/apps/v1/stateful-set'
import { leases } from 'orch/generated/apis/coordination/v1'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { services } from 'orch/generated/apis/core/v1/service'
import { startControlPlane } from 'orch/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { generateInMemory, packageRoot } from '../../codegen/main.ts'
import { cacheController } from '../../examples/caches/controller.ts'
import { caches } from '../../examples/caches/generated/apis/caches/v1/cache.ts'
import { caches as olderCaches } from '../../examples/caches/generated/apis/caches/v1beta1/cache.ts'
import { scheme } from '../../examples/caches/generated/scheme.ts'
import { cacheWebhook, ownerAnnotation } from '../../examples/caches/webhook.ts'
import { platform } from '../../generated/platform.ts'
import { createClient } from '../../runtime/client/client.ts'
import { compiledScheme } from '../../tools/orch/compiled-scheme.ts'
import { runPackage } from '../../tools/orch/package.ts'
import { hangFlag, hangSignal } from '../support/deadline.ts'
import { defaultKubectl, kubectl } from '../support/kubectl.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const test = suite('examples/caches')

const example = join(packageRoot, 'examples/caches')
const built = fileURLToPath(new URL('../../examples/caches/', import.meta.url))
const manifest = join(example, 'deploy/cache-operator.yaml')
const packaged = [
  ...['--controllers', join(built, 'controller.js'), '--schemas', join(example, 'schemas')],
  ...['--image', 'registry.example.com/cache-operator:v1', '--out', join(example, 'deploy')],
]

test('its generated code is what its schemas say', async () => {
  const { files } = await generateInMemory({ schemas: join(example, 'schemas') })
  for (const [path, text] of files) {
    if (path === 'manifest.json') continue
    assert.is(readFileSync(join(example, 'generated', path), 'utf8'), text, path)
  }
})

test('its package is what its schemas and its controller say', async () => {
  const lines: string[] = []
  const note = (line: string) => void lines.push(line)
  const args = [...packaged, '--check']
  const code = await runPackage({
    args,
    environment: {},
    width: 100,
    print: note,
    printError: note,
  })
  assert.is(code, 0, lines.join('\n'))
})

test('a cache of either version gets its settings, its service and its servers', async () => {
  await using plane = await startControlPlane({ schemes: [scheme] })
  const { client } = plane
  const stop = new AbortController()
  const manager = createManager({ client, controllers: [cacheController] })
  const run = manager.run(stop.signal)
  await client.resource(olderCaches).create({
    metadata: { name: 'old' },
    spec: { size: 2, memory: '64Mi' },
  })
  const limits = { memory: '1Gi' }
  await client.resource(caches).create({
    metadata: { name: 'new' },
    spec: { servers: 3, limits, eviction: 'Oldest' },
  })
  for (const [name, replicas, memory] of [
    ['old', 2, '64Mi'],
    ['new', 3, '1Gi'],
  ] as const) {
    const { spec } = await until('servers', () => client.resource(statefulSets).find(name))
    assert.is(spec?.replicas, replicas)
    assert.is(spec?.template.spec?.containers[0]?.resources?.limits?.memory, memory)
    assert.ok(await client.resource(services).find(name))
  }
  const { data } = await client.resource(configMaps).get('new')
  assert.equal(data, { 'cache.conf': 'maxmemory-policy volatile-ttl\n' })
  await until(
    'status',
    async () => (await client.resource(olderCaches).get('old')).status?.ready === 0,
  )
  stop.abort()
  await run
})

test('a cache gets its owner, and loses one server at a time', async () => {
  await using plane = await startControlPlane({ schemes: [scheme], webhooks: [cacheWebhook] })
  const old = plane.client.resource(olderCaches)
  const { metadata } = await old.create({ metadata: { name: 'c' }, spec: { size: 3 } })
  assert.ok(metadata.annotations?.[ownerAnnotation])
  await old.mergePatch('c', { spec: { size: 2 } })
  const error = await old.mergePatch('c', { spec: { size: 0 } }).catch((refusal) => refusal)
  assert.ok(isStatus(error, 'Invalid'))
  assert.match(error.message, 'spec.servers: Invalid value: 0: each server takes its keys with it')
})

const binary = defaultKubectl()
if (binary === undefined) {
  console.log(
    'SKIP caches: there is no kubectl in PATH (Debian: apt-get install kubernetes-client)',
  )
} else {
  test('installed by its manifests, it serves both versions and takes its lease', async () => {
    const names = join(packageRoot, 'schemas/platform/kubernetes.yaml')
    const publicScheme = await compiledScheme({ platform: names }, console.error)
    assert.ok(publicScheme)
    await using plane = await startControlPlane({ scheme: publicScheme, socket: true })
    const home = tempDirectory()
    const orchconfig = join(home, 'orchconfig')
    writeFileSync(orchconfig, plane.orchconfig ?? '')
    const ctl = kubectl(binary, orchconfig, home)
    await ctl.ok(`apply -f ${manifest}`)
    await ctl.ok(`wait --for=condition=Established crd/caches.caches.example.com ${hangFlag}`)
    const env = {
      ...process.env,
      POD_NAMESPACE: 'cache-operator',
      HEALTH_PORT: '0',
      WEBHOOK_PORT: '0',
    }
    const program = spawn(process.execPath, [join(built, 'main.js'), orchconfig], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(program, 'exit', { signal: hangSignal() })
    try {
      let said = ''
      program.stdout.on('data', (chunk) => {
        said += String(chunk)
      })
      const port = await until('the webhook', () => /"webhook":(\d+)/.exec(said)?.[1])
      const service = '-n cache-operator patch service cache-operator-webhook --type=merge -p'
      await ctl.ok(`${service} {"spec":{"type":"ExternalName","externalName":"localhost"}}`)
      const conversion = `{"webhook":{"clientConfig":{"service":{"port":${port}}}}}`
      for (const kind of ['mutating', 'validating']) {
        const at = '/webhooks/0/clientConfig/service/port'
        const change = `[{"op":"replace","path":"${at}","value":${port}}]`
        await ctl.ok(`patch ${kind}WebhookConfiguration cache-operator --type=json -p ${change}`)
      }
      await ctl.ok(
        `patch crd caches.caches.example.com --type=merge -p {"spec":{"conversion":${conversion}}}`,
      )
      const client = createClient(plane.transport, { platform })
      const draft = { metadata: { name: 'old' }, spec: { size: 2 } }
      await until('a conversion', () => client.resource(olderCaches).create(draft))
      const servers = await until('servers', () => client.resource(statefulSets).find('old'))
      assert.is(servers.spec?.replicas, 2)
      const stored = await client.resource(caches).get('old')
      assert.equal(stored.spec, { servers: 2 })
      assert.ok(stored.metadata.annotations?.[ownerAnnotation])
      const lease = await client.resource(leases).in('cache-operator').get('cache-operator')
      assert.ok(lease.spec?.holderIdentity)
      program.kill('SIGTERM')
      assert.equal(await exited, [0, null])
    } finally {
      program.kill('SIGKILL')
    }
  })
}

test.run()
