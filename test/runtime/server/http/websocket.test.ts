import { request } from 'node:http'
import { connect } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../../runtime/observe/observe.ts'
import { until } from '../../../support/until.ts'

const tests = suite('runtime/server: watches over a websocket')
let server: RunningApiServer

tests.before.each(async () => {
  server = await startApiServer({
    scheme,
    storage: { kind: 'memory' },
    clock: systemClock,
    log: silentLog,
    listen: { host: '127.0.0.1', port: 0 },
  })
})
tests.after.each(() => server.stop())

const key = 'dGhlIHNhbXBsZSBub25jZQ=='
const path = '/api/v1/namespaces?watch=true'
const plain = { upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-version': '13' }
const usual = { ...plain, 'sec-websocket-key': key }

interface Message {
  readonly opcode: number
  readonly body: Buffer
}

/** The messages of a conversation so far: a second reading of the format, whole frames only. */
function messagesOf(bytes: Buffer): readonly Message[] {
  const messages: Message[] = []
  for (let at = 0; at + 2 <= bytes.length; ) {
    const short = bytes.readUInt8(at + 1) & 127
    const wide = short === 126 ? 2 : short === 127 ? 8 : 0
    const length =
      wide === 2
        ? bytes.readUInt16BE(at + 2)
        : wide === 8
          ? Number(bytes.readBigUInt64BE(at + 2))
          : short
    const start = at + 2 + wide
    if (start + length > bytes.length) break
    messages.push({ opcode: bytes.readUInt8(at) & 15, body: bytes.subarray(start, start + length) })
    at = start + length
  }
  return messages
}

interface Talk {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly messages: () => readonly Message[]
  readonly ended: Promise<void>
  say(opcode: number, body?: Buffer, masked?: boolean): void
  leave(): void
}

function talk(where: string, headers: Record<string, string>, method = 'GET'): Promise<Talk> {
  return new Promise((resolve, reject) => {
    const asked = request(`${server.url}${where}`, { method, headers, agent: false })
    asked.on('error', reject)
    asked.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      const ended = new Promise<void>((done) => response.on('close', () => done()))
      const messages = () => [{ opcode: 1, body: Buffer.concat(chunks) }]
      const leave = () => void response.destroy()
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        messages,
        ended,
        say() {},
        leave,
      })
    })
    asked.on('upgrade', (response, socket, head) => {
      let bytes = Buffer.from(head)
      socket.on('data', (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk])
      })
      socket.on('error', () => {})
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        messages: () => messagesOf(bytes),
        ended: new Promise((done) => socket.on('close', () => done())),
        say(opcode, body = Buffer.alloc(0), masked = true) {
          const mask = Buffer.from([1, 2, 3, 4])
          const head = Buffer.from([0x80 | opcode, (masked ? 0x80 : 0) | body.length])
          const content = masked ? body.map((byte, at) => byte ^ (mask[at % 4] ?? 0)) : body
          socket.write(Buffer.concat([head, masked ? mask : Buffer.alloc(0), content]))
        },
        leave: () => void socket.destroy(),
      })
    })
    asked.end()
  })
}

tests('V-08: an event is a text message', async () => {
  const { status, headers, messages, leave } = await talk(path, usual)
  assert.is(status, 101)
  assert.is(headers['sec-websocket-accept'], 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=')
  await until('the namespaces', () => messages().length >= 4)
  const events = messages().map(({ body }) => JSON.parse(body.toString()))
  assert.equal(
    events.map(({ type }) => type),
    ['ADDED', 'ADDED', 'ADDED', 'ADDED'],
  )
  assert.ok(messages().every(({ opcode }) => opcode === 1))
  const body = JSON.stringify({
    metadata: { name: 'made', annotations: { long: 'x'.repeat(70_000) } },
  })
  await fetch(`${server.url}/api/v1/namespaces`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  })
  const made = await until('the new one', () => messages()[4])
  assert.is(JSON.parse(made.body.toString()).object.metadata.name, 'made')
  leave()
})

tests('V-08: protobuf is a binary message without a length before it', async () => {
  const accept = 'application/vnd.orch.protobuf;stream=watch'
  const { messages, leave } = await talk(path, { ...usual, accept })
  await until('the namespaces', () => messages().length >= 4)
  assert.ok(messages().every(({ opcode, body }) => opcode === 2 && body[0] === 0x0a))
  leave()
})

tests('V-08: a protocol that is offered is agreed on, a credential is not', async () => {
  const offered = 'base64url.bearer.authorization.orch.io.c2VjcmV0, base64.binary.orch.io'
  const { headers, leave } = await talk(path, { ...usual, 'sec-websocket-protocol': offered })
  assert.is(headers['sec-websocket-protocol'], 'base64.binary.orch.io')
  leave()
})

tests('pings are answered, and a close ends the watch', async () => {
  const { messages, say, ended } = await talk('/api/v1/watch/namespaces', usual)
  await until('the namespaces', () => messages().length >= 4)
  say(1, Buffer.from('what a client says is skipped'))
  say(9, Buffer.from('here'))
  const pong = await until('the answer', () => messages().find(({ opcode }) => opcode === 10))
  assert.is(pong.body.toString(), 'here')
  say(8)
  await ended
  assert.is(messages().at(-1)?.opcode, 8)
})

tests('a frame without a mask breaks the protocol', async () => {
  const { messages, say, ended } = await talk(path, usual)
  say(9, Buffer.from('x'), false)
  await ended
  assert.is(messages().at(-1)?.body.readUInt16BE(), 1002)
})

tests('a watch that ends by itself says so', async () => {
  const { messages, ended } = await talk(`${path}&timeoutSeconds=1`, usual)
  await ended
  assert.is(messages().at(-1)?.body.readUInt16BE(), 1000)
})

tests('a server that stops ends its websockets', async () => {
  const { ended } = await talk(path, usual)
  await server.stop()
  await ended
})

tests('what is refused is refused in HTTP', async () => {
  const unknown = await talk('/api/v1/nothings?watch=true', usual)
  assert.is(unknown.status, 404)
  assert.is((await talk(path, { ...usual, origin: 'http://elsewhere.example' })).status, 403)
  assert.is((await talk(path, { ...plain, 'sec-websocket-key': 'short' })).status, 400)
  assert.is((await talk(path, { ...usual, 'sec-websocket-version': '8' })).status, 426)
})

tests('a request that would upgrade to anything else is answered as it stands', async () => {
  const list = await talk('/api/v1/namespaces', usual)
  assert.is(list.status, 200)
  const other = await talk('/api/v1/namespaces?watch=true&timeoutSeconds=1', {
    upgrade: 'h2c',
    connection: 'Upgrade',
  })
  assert.is(other.status, 200)
  const { port } = new URL(server.url)
  const body = JSON.stringify({ metadata: { name: 'posted' } })
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString()
    })
    socket.on('close', () => resolve(text))
    socket.write(
      `POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nUpgrade: h2c\r\nConnection: Upgrade, close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
  })
  assert.match(answer, /^HTTP\/1.1 201 /)
})

tests.run()
