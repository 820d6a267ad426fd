// The example, end to end: the operator of examples/operator against a server that serves its kind.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createManager, type Manager } from 'orch'
import { deployments } from 'orch/generated/apis/apps/v1/deployment'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { type ControlPlane, startControlPlane } from 'orch/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { websiteController } from '../../examples/operator/controller.ts'
import { websites } from '../../examples/operator/generated/apis/web/v1/website.ts'
import { scheme } from '../../examples/operator/generated/scheme.ts'
import { hangSignal } from '../support/deadline.ts'
import { assertRejects } from '../support/rejects.ts'
import { until } from '../support/until.ts'

interface Running {
  plane: ControlPlane
  manager: Manager
  end: () => Promise<void>
}

const test = suite<Running>('examples/operator')

test.before.each(async (context) => {
  context.plane = await startControlPlane({ schemes: [scheme] })
  const { client } = context.plane
  const stop = new AbortController()
  context.manager = createManager({ client, controllers: [websiteController] })
  const run = context.manager.run(stop.signal)
  context.end = async () => {
    stop.abort()
    await run
    await context.plane.stop()
  }
  await context.manager.ready
})

test.after.each(({ end }) => end())

const main = fileURLToPath(new URL('../../examples/operator/main.js', import.meta.url))

const hello = {
  metadata: { name: 'hello' },
  spec: { title: 'Hello', pages: { 'index.html': 'Welcome.' } },
}

test('a website gets its pages and its servers', async ({ plane: { client } }) => {
  const website = await client.resource(websites).create(hello)
  const pages = await until('pages', () => client.resource(configMaps).find('hello'))
  assert.equal(pages.data, { 'index.html': '<h1>Hello</h1>\n<p>Welcome.</p>\n' })
  assert.is(pages.metadata.ownerReferences?.[0]?.uid, website.metadata.uid)
  const servers = await until('servers', () => client.resource(deployments).find('hello'))
  assert.is(servers.spec?.replicas, 1)
})

test('a website whose pages break the rule of its schema is refused', async ({
  plane: { client },
}) => {
  const wrong = { ...hello, spec: { ...hello.spec, pages: { 'notes.txt': 'Notes.' } } }
  const { message } = await assertRejects(client.resource(websites).create(wrong), 'Invalid')
  assert.match(message, 'pages are files that end in .html')
})

test('a change of the website reaches what it owns', async ({ plane: { client } }) => {
  await client.resource(websites).create(hello)
  await until('pages', () => client.resource(configMaps).find('hello'))
  const spec = { title: 'Good day', pages: { 'index.html': null, 'new.html': 'New.' } }
  await client.resource(websites).mergePatch('hello', { spec: { ...spec, servers: 3 } })
  await until('new pages', async () => {
    const { data } = await client.resource(configMaps).get('hello')
    return Object.keys(data ?? {}).join() === 'new.html'
  })
  await until('more servers', async () => {
    return (await client.resource(deployments).get('hello')).spec?.replicas === 3
  })
})

test('what was taken away comes back', async ({ plane: { client } }) => {
  await client.resource(websites).create(hello)
  const first = await until('pages', () => client.resource(configMaps).find('hello'))
  await client.resource(configMaps).delete('hello')
  await until('new pages', async () => {
    const next = await client.resource(configMaps).find('hello')
    return next !== undefined && next.metadata.uid !== first.metadata.uid
  })
})

test('the status follows the servers', async ({ plane: { client } }) => {
  await client.resource(websites).create(hello)
  const starting = await until('status', async () => {
    return (await client.resource(websites).get('hello')).status?.conditions?.[0]
  })
  assert.is(starting.reason, 'Starting')
  await until('ready', async () => {
    const servers = await client.resource(deployments).get('hello')
    await client
      .resource(deployments)
      .updateStatus({ ...servers, status: { ...servers.status, replicas: 1, readyReplicas: 1 } })
    return true
  })
  await until('published', async () => {
    const { status } = await client.resource(websites).get('hello')
    return status?.conditions?.[0]?.status === 'True' && status.readyServers === 1
  })
})

test('a deleted website takes everything with it', async ({ plane: { client } }) => {
  await client.resource(websites).create(hello)
  await until('servers', () => client.resource(deployments).find('hello'))
  await client.resource(websites).delete('hello')
  await until('no website', async () => !(await client.resource(websites).find('hello')))
  assert.is(await client.resource(configMaps).find('hello'), undefined)
  assert.is(await client.resource(deployments).find('hello'), undefined)
})

test('the operator comes to rest', async ({ plane: { client }, manager }) => {
  await client.resource(websites).create(hello)
  await until('status', async () => (await client.resource(websites).get('hello')).status)
  await until('rest', () => {
    const { active, depth, delayed } = manager.stats().website!
    return active + depth + delayed === 0
  })
  const { runs } = manager.stats().website!
  assert.is(runs.failed + runs.terminal, 0)
  assert.ok(runs.done <= 5, `it took ${runs.done} runs`)
})

test('a website that breaks the rules of its kind is refused', async ({ plane: { client } }) => {
  const spec = { title: '', servers: 101 }
  const error = await assertRejects(
    client.resource(websites).create({ metadata: { name: 'hello' }, spec }),
    'Invalid',
  )
  assert.equal(
    error.details?.causes?.map(({ field }) => field),
    ['spec.title', 'spec.servers'],
  )
})

test('the program runs against a server until it is told to stop', async () => {
  await using plane = await startControlPlane({ schemes: [scheme], socket: true })
  const folder = await mkdtemp(join(tmpdir(), 'operator-'))
  const orchconfig = join(folder, 'orchconfig')
  await writeFile(orchconfig, plane.orchconfig ?? '')
  const operator = spawn(process.execPath, [main, orchconfig], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    await plane.client.resource(websites).create(hello)
    await until('pages', () => plane.client.resource(configMaps).find('hello'))
    operator.kill('SIGTERM')
    assert.equal(await exit(operator), [0, null])
  } finally {
    operator.kill('SIGKILL')
    await rm(folder, { recursive: true })
  }
})

test('the program waits for a server that is not there yet', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'operator-'))
  const orchconfig = join(folder, 'orchconfig')
  const cluster = { server: 'http://127.0.0.1:1' }
  const contexts = [{ name: 'c', context: { cluster: 'c' } }]
  const config = { 'current-context': 'c', contexts, clusters: [{ name: 'c', cluster }] }
  await writeFile(orchconfig, JSON.stringify(config))
  const operator = spawn(process.execPath, [main, orchconfig], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    let said = ''
    operator.stdout.on('data', (chunk) => {
      said += String(chunk)
    })
    await until('second attempt', () => said.includes('"failures":2'))
    operator.kill('SIGTERM')
    assert.equal(await exit(operator), [0, null])
  } finally {
    operator.kill('SIGKILL')
    await rm(folder, { recursive: true })
  }
})

async function exit(child: ChildProcess): Promise<unknown[]> {
  if (child.exitCode !== null) return [child.exitCode, child.signalCode]
  return once(child, 'exit', { signal: hangSignal() })
}

test.run()
