import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync, renameSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { apiserverCommand, type Running, runNode, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const test = suite('daemons/apiserver: several processes')

const file = join(tempDirectory(), 'orch.db')
const start = (...args: readonly string[]): Promise<Running> =>
  startProgram(apiserverCommand, [
    '--insecure-port=0',
    `--storage=sqlite:${file}`,
    '--processes=2',
    ...args,
  ])

let running: Running
/** Each has one connection: of so many, some are with each process. */
let clients: readonly Client[]

test.before(async () => {
  running = await start()
  clients = Array.from({ length: 10 }, () => clientOf(running))
})
test.after(async () => void (await running.stop('SIGKILL')))

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
type Answer = any

interface Client {
  /** Sends a request over the connection; gives its answer. */
  send(method: string, path: string, body?: object): Promise<{ status: number; body: Answer }>
  /** The events of a watch so far. */
  watch(path: string): Promise<Answer[]>
}

function clientOf({ url }: Running): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const open = async (method: string, path: string, body?: object): Promise<IncomingMessage> => {
    const headers = { 'content-type': 'application/json' }
    const sent = request(url + path, { method, headers, agent })
    sent.end(body && JSON.stringify(body))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return response
  }
  return {
    async send(method, path, body) {
      const response = await open(method, path, body)
      const text = Buffer.concat(await response.toArray()).toString()
      return { status: response.statusCode ?? 0, body: JSON.parse(text) }
    },
    async watch(path) {
      const response = await open('GET', path)
      const events: Answer[] = []
      let rest = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        events.push(...lines.map((line) => JSON.parse(line)))
      })
      response.on('error', () => {})
      return events
    },
  }
}

/** The processes of the server beside its supervisor. */
function childrenOf({ process: { pid } }: Running): readonly number[] {
  const found = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  return found.trim().split(/\s+/).map(Number)
}

const maps = '/api/v1/namespaces/default/configmaps'
const mapOf = (name: string) => ({ metadata: { name } })

test('what one process was told is read through the other at once, and watched in order', async () => {
  const watches = Array.from({ length: 6 }, () => clientOf(running))
  const path = `${maps}?watch=true&resourceVersion=0`
  const seen = await Promise.all(watches.map((each) => each.watch(path)))
  for (const [index, writer] of clients.entries()) {
    const { status, body } = await writer.send('POST', maps, mapOf(`seen-${index}`))
    assert.is(status, 201)
    for (const reader of clients) {
      const found = await reader.send('GET', `${maps}/seen-${index}`)
      assert.equal(found, { status: 200, body })
      const listed = await reader.send('GET', maps)
      assert.ok(listed.body.items.some((item: Answer) => item.metadata.uid === body.metadata.uid))
    }
  }
  for (const events of seen) {
    const own = () => events.filter(({ object }) => object.metadata.name.startsWith('seen-'))
    await until('all events came', () => own().length >= clients.length)
    assert.equal(
      own().map(({ type, object }) => `${type} ${object.metadata.name}`),
      clients.map((_, index) => `ADDED seen-${index}`),
    )
  }
})

test('of two updates from one version one is refused, whichever processes they go to', async () => {
  const { body } = await clients[0]!.send('POST', maps, mapOf('contended'))
  const answers = await Promise.all(
    clients.map((client, index) =>
      client.send('PUT', `${maps}/contended`, { ...body, data: { from: `${index}` } }),
    ),
  )
  assert.is(answers.filter(({ status }) => status === 200).length, 1)
  assert.is(answers.filter(({ status }) => status === 409).length, clients.length - 1)
})

test('metrics are those of the whole server, whichever process is asked', async () => {
  const text = async (): Promise<string> => (await fetch(`${running.url}/metrics`)).text()
  const created = /^apiserver_request_total\{verb="POST".*resource="configmaps".* (\d+)$/m
  for (let round = 0; round < 5; round++) {
    const metrics = await text()
    assert.is(created.exec(metrics)?.[1], `${clients.length + 1}`)
    assert.match(metrics, 'apiserver_storage_objects{resource="configmaps"} ')
    assert.match(metrics, /^process_resident_memory_bytes \d+$/m)
  }
})

test('a token that one process signs is known to the other', async () => {
  const accounts = '/api/v1/namespaces/default/serviceaccounts'
  await clients[0]!.send('POST', accounts, mapOf('bot'))
  const made = await clients[0]!.send('POST', `${accounts}/bot/token`, { spec: {} })
  assert.is(made.status, 201)
  const { token } = made.body.status
  for (const client of clients) {
    const path = '/apis/authentication.orch.io/v1/tokenreviews'
    const { body } = await client.send('POST', path, { spec: { token } })
    assert.is(body.status.authenticated, true)
  }
})

/** How many connections of the server each of its processes has. */
function connectionsOf(server: Running): readonly number[] {
  const port = Number(new URL(server.url).port).toString(16).toUpperCase().padStart(4, '0')
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  const fields = lines.map((line) => line.trim().split(/\s+/))
  const ours = fields.filter(([, local, , state]) => local?.endsWith(`:${port}`) && state === '01')
  const sockets = new Set(ours.map(([, , , , , , , , , inode]) => `socket:[${inode}]`))
  return childrenOf(server).map((pid) => {
    const files = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`))
    return files.filter((file) => sockets.has(file)).length
  })
}

/** A file may be closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

test('connections go to the processes in turn', async () => {
  const before = connectionsOf(running)
  for (let at = 0; at < 8; at++) {
    assert.is((await clientOf(running).send('GET', '/version')).status, 200)
  }
  const now = connectionsOf(running)
  assert.equal(
    now.map((count, index) => count - (before[index] ?? 0)),
    [4, 4],
  )
})

test('a connection on its way to a process that is killed is served by another', async () => {
  const [killed] = childrenOf(running) as [number]
  process.kill(killed, 'SIGSTOP')
  const asked = [1, 2, 3, 4].map(() => clientOf(running).send('GET', '/version'))
  let answered = 0
  for (const each of asked) void each.then(() => answered++)
  await until('the other process answers', () => answered === asked.length - 1)
  process.kill(killed, 'SIGKILL')
  for (const each of asked) assert.is((await each).status, 200)
  await until('there are two again', () => childrenOf(running).length === 2)
})

test('a process that is killed is started anew, and the others serve meanwhile', async () => {
  const [killed] = childrenOf(running) as [number]
  process.kill(killed, 'SIGKILL')
  const { status } = await until('it is answered', () => clientOf(running).send('GET', maps))
  assert.is(status, 200)
  await until('there are two again', () => {
    const now = childrenOf(running)
    return now.length === 2 && !now.includes(killed)
  })
  const made = await clientOf(running).send('POST', maps, mapOf('afterwards'))
  assert.is(made.status, 201)
})

test('no process outlives its supervisor, and another server goes on with the same file', async () => {
  const children = childrenOf(running)
  await running.stop('SIGKILL')
  await until('they are gone', () => children.every((pid) => !isRunning(pid)))
  running = await start()
  const { body } = await clientOf(running).send('GET', `${maps}/afterwards`)
  assert.is(body.metadata.name, 'afterwards')
})

test('it stops in order, watches included', async () => {
  const children = childrenOf(running)
  const events = await clientOf(running).watch(`${maps}?watch=true`)
  await until('the watch began', () => events.length > 0)
  assert.is(await running.stop(), 0)
  assert.not.ok(children.some(isRunning))
})

test('what keeps one process from starting keeps the server, and is said once', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  const args = [`--insecure-port=${port}`, '--processes=3']
  const { code, stderr } = await runNode(apiserverCommand, args)
  taken.close()
  assert.is(code, 1)
  assert.is(stderr.match(new RegExp(`port ${port} of 127.0.0.1 is taken`, 'g'))?.length, 1)
})

test('keys of encryption are changed in one step for all processes, which serve meanwhile', async () => {
  const folder = tempDirectory()
  const config = join(folder, 'encryption.json')
  const write = (...providers: readonly object[]): void => {
    const text = JSON.stringify({
      apiVersion: 'apiserver.config.orch.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [{ resources: ['secrets'], providers }],
    })
    writeFileSync(`${config}.new`, text, { mode: 0o600 })
    renameSync(`${config}.new`, config)
  }
  const key = (name: string) => ({ name, secret: randomBytes(32).toString('base64') })
  const [k1, k2] = [key('k1'), key('k2')]
  write({ secretbox: { keys: [k1] } }, { identity: {} })
  const server = await startProgram(apiserverCommand, [
    '--insecure-port=0',
    `--storage=sqlite:${join(folder, 'orch.db')}`,
    '--processes=2',
    `--encryption-provider-config=${config}`,
    '--encryption-provider-config-automatic-reload',
  ])
  let said = ''
  server.process.stderr?.on('data', (text: string) => {
    said += text
  })
  const path = '/api/v1/namespaces/default/secrets'
  const users = Array.from({ length: 4 }, () => clientOf(server))
  let made = 0
  const round = async (): Promise<void> => {
    for (const writer of users) {
      made += 1
      assert.is((await writer.send('POST', path, mapOf(`s-${made}`))).status, 201)
      for (const reader of users) {
        assert.is((await reader.send('GET', `${path}/s-${made}`)).status, 200)
      }
    }
  }
  await round()
  write({ secretbox: { keys: [k2, k1] } }, { identity: {} })
  await until('both have read it', async () => {
    await round()
    return said.split('files were read again').length === 3
  })
  await round()
  for (const user of users) {
    assert.is((await user.send('GET', path)).body.items.length, made)
  }
  assert.is(await server.stop(), 0)
  const stored = readFileSync(join(folder, 'orch.db'), 'latin1')
  assert.match(stored, 'orch:enc:secretbox:v1:k2:')
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test.run()
