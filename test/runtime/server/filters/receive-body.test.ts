import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fakeClock } from '../../../support/clock.ts'
import { until } from '../../../support/until.ts'
import { fits, startTestServer, type TestServer } from '../harness.ts'

const test = suite('runtime/server: bodies on their way')

const maps = '/api/v1/namespaces/default/configmaps'

/** A connection that has sent the head of a request and a part of its body, and what it hears. */
class SlowSender {
  readonly socket: Socket
  heard = ''
  closed = false

  constructor({ url }: TestServer, query: string, length: number, part: string) {
    const { hostname, port } = new URL(url)
    this.socket = connect(Number(port), hostname)
    this.socket.setEncoding('latin1').on('data', (text: string) => {
      this.heard += text
    })
    this.socket
      .on('error', () => {})
      .on('close', () => {
        this.closed = true
      })
    const head = `POST ${maps}${query} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`
    this.socket.write(`${head}Content-Length: ${length}\r\n\r\n${part}`)
  }

  get statuses(): readonly string[] {
    return this.heard.match(/HTTP\/1\.1 \d+/g) ?? []
  }
}

test('a body that trickles holds no seat', async () => {
  const wire = await startTestServer({ fairness: false, inFlight: { reading: 1, changing: 1 } })
  const text = JSON.stringify({ metadata: { name: 'slow' } })
  const slow = Array.from({ length: 5 }, () => new SlowSender(wire, '', text.length, '{'))
  await Promise.all(slow.map(({ socket }) => once(socket, 'connect')))
  for (let n = 0; n < 5; n++) {
    const body = { metadata: { name: `quick-${n}` } }
    fits(await wire.request({ method: 'POST', path: maps, body }), { status: 201 })
  }
  const [last, ...others] = slow as [SlowSender, ...SlowSender[]]
  last.socket.write(text.slice(1))
  await until('an answer', () => last.heard)
  assert.equal(last.statuses, ['HTTP/1.1 201'])
  for (const { socket, heard } of [last, ...others]) {
    if (socket !== last.socket) assert.is(heard, '')
    socket.destroy()
  }
  await wire.stop()
})

test('a body that does not arrive in time is answered once, and its connection ends', async () => {
  const clock = fakeClock(Date.parse('2030-01-01T00:00:00Z'))
  const wire = await startTestServer({ clock })
  const idle = clock.waiting
  const slow = new SlowSender(wire, '?timeout=10s', 1000, '{')
  await until('the server waits for the body', () => clock.waiting > idle)
  clock.advance(10_000)
  await until('an answer', () => slow.heard.includes('\r\n\r\n{'))
  assert.equal(slow.statuses, ['HTTP/1.1 504'])
  assert.match(slow.heard, /^connection: close\r$/im)
  assert.match(slow.heard, 'request did not complete within the allotted timeout')
  slow.socket.write('"a":')
  clock.advance(5000)
  await until('the connection ends', () => slow.closed)
  assert.equal(slow.statuses, ['HTTP/1.1 504'])
  await wire.stop()
})

test('beyond the bytes that may wait, the body that arrives for longest is refused', async () => {
  const limits = { bodyBytes: 1000, waitingBytes: 1000 }
  const wire = await startTestServer({ limits })
  const part = `{"metadata":{"name":"m"},"data":{"k":"${'x'.repeat(560)}`
  const first = new SlowSender(wire, '', 700, part)
  await once(first.socket, 'connect')
  const second = new SlowSender(wire, '', part.length + 3, part)
  await until('an answer', () => first.heard || second.heard)
  assert.equal(first.statuses, ['HTTP/1.1 429'])
  assert.match(first.heard, /^retry-after: 1\r$/im)
  second.socket.write('"}}')
  await until('an answer', () => second.heard)
  assert.equal(second.statuses, ['HTTP/1.1 201'])
  second.socket.destroy()
  await until('the connection ends', () => first.closed)
  await wire.stop()
})

test('what is refused before its body is read ends its connection, so that nothing is taken for a request', async () => {
  const wire = await startTestServer({ limits: { bodyBytes: 1000 } })
  const inside = `GET ${maps} HTTP/1.1\r\nHost: x\r\n\r\n`
  const long = new SlowSender(wire, '', 2000, inside.padEnd(1999, ' '))
  await until('an answer', () => long.heard)
  assert.equal(long.statuses, ['HTTP/1.1 413'])
  long.socket.write(` ${inside}`)
  await until('the connection ends', () => long.closed)
  assert.equal(long.statuses, ['HTTP/1.1 413'])
  await wire.stop()
})

test.run()
