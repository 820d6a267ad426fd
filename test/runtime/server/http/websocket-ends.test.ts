/** How connections of websockets end, whatever the other side does. V-08 */
import { connect, type Socket } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fakeClock } from '../../../support/clock.ts'
import { until } from '../../../support/until.ts'
import { startTestServer, type TestServer } from '../harness.ts'

const test = suite('runtime/server: ends of websockets')

const maps = '/api/v1/namespaces/default/configmaps'

/** A connection that is never closed from this side. */
function open({ url }: TestServer, version: number): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  socket.on('error', () => {})
  socket.write(
    `GET ${maps}?watch HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Version: ${version}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  )
  return socket
}

async function heardBy(socket: Socket, what: string): Promise<string> {
  let text = ''
  socket.setEncoding('latin1').on('data', (part: string) => {
    text += part
  })
  await until(what, () => text.includes(what))
  return text
}

/** Masked frames of control. */
function ping(opcode = 9): Buffer {
  return Buffer.from([0x80 | opcode, 0x80, 1, 2, 3, 4])
}

test('a bare watch parameter asks for a watch', async () => {
  const wire = await startTestServer()
  const socket = open(wire, 13)
  assert.match(await heardBy(socket, '\r\n\r\n'), /^HTTP\/1\.1 101 /)
  socket.destroy()
  await wire.stop()
})

test('a refused client that keeps its side open holds nothing', async () => {
  const wire = await startTestServer()
  const socket = open(wire, 8)
  assert.match(await heardBy(socket, '\r\n\r\n'), /^HTTP\/1\.1 426 /)
  await wire.stop()
  socket.destroy()
})

test('what comes behind a close is not answered', async () => {
  const wire = await startTestServer()
  const socket = open(wire, 13)
  await heardBy(socket, '\r\n\r\n')
  const bytes: Buffer[] = []
  socket.setEncoding('latin1').on('data', (part: string) => {
    bytes.push(Buffer.from(part, 'latin1'))
  })
  const ended = new Promise((resolve) => socket.once('end', resolve))
  socket.write(Buffer.concat([ping(8), ping(), ping()]))
  await ended
  assert.equal([...Buffer.concat(bytes)], [0x88, 2, 1000 >> 8, 1000 & 255])
  await wire.stop()
  socket.destroy()
})

test('a server that stops cuts off who takes nothing, after a while', async () => {
  const clock = fakeClock(Date.parse('2030-01-01T00:00:00Z'))
  const wire = await startTestServer({ clock })
  const data = { a: 'x'.repeat(900_000) }
  const socket = open(wire, 13)
  await heardBy(socket, '\r\n\r\n')
  socket.pause()
  for (let at = 0; at < 20; at++) {
    const body = { metadata: { name: `m${at}` }, data }
    const headers = { 'content-type': 'application/json' }
    const reply = await wire.request({ method: 'POST', path: maps, headers, body })
    assert.is(reply.status, 201, reply.text.slice(0, 200))
  }
  let stopped = false
  const stop = wire.stop().then(() => {
    stopped = true
  })
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.is(stopped, false)
  clock.advance(10_000)
  await stop
  socket.destroy()
})

test.run()
