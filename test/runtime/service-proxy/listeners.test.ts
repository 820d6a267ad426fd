/** Listeners lead connections and datagrams to backends; the addresses are of loopback. */
import { createSocket } from 'node:dgram'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import type { Frontend } from '../../../runtime/service-proxy/contract/plan.ts'
import { createListeners } from '../../../runtime/service-proxy/userland/listeners.ts'

const tests = suite('service-proxy: listeners')

const told: Record<string, unknown>[] = []
const log = { ...silentLog, warn: (_: string, fields = {}) => void told.push(fields) }
let turn = 0
const options = {
  ...{ nodeAddresses: ['127.0.0.1'], clock: systemClock, log },
  random: () => (turn++ % 2) / 2,
}
const listeners = createListeners(options)
const servers: Server[] = []

tests.after(() => {
  listeners.stop()
  for (const server of servers) server.close()
})

const frontend = (more: Partial<Frontend>): Frontend => ({
  ...{ name: 'shop/web', protocol: 'TCP', address: '127.7.7.7', port: 18_080, backends: [] },
  ...{ affinitySeconds: 0, whenEmpty: 'refuse', sources: [], keepsSource: true, isExternal: false },
  ...more,
})

/** A server that says its word and what it was sent, once the sender has ended. */
async function backend(word: string) {
  const server = createServer({ allowHalfOpen: true }, async (socket) => {
    socket.write(`${word}:`)
    for await (const chunk of socket) socket.write(chunk)
    socket.end()
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { address: '127.0.0.1', port: (server.address() as AddressInfo).port }
}

function said(host: string, port: number, text = ''): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    let got = ''
    socket.on('data', (chunk) => {
      got += chunk
    })
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
    socket.on('end', () => resolve(got))
    socket.end(text)
  })
}

const one = await backend('one')
const two = await backend('two')

tests('connections go to the backends in turns, and each end of a stream is told', async () => {
  await listeners.lead([frontend({ backends: [one, two] })])
  const words = [await said('127.7.7.7', 18_080, 'a'), await said('127.7.7.7', 18_080, 'b')]
  assert.equal(words.sort(), ['one:a', 'two:b'])
})

tests(
  'with affinity a client stays with its backend, and with another one when that goes',
  async () => {
    const bound = { affinitySeconds: 100 }
    await listeners.lead([frontend({ ...bound, backends: [one, two] })])
    const first = await said('127.7.7.7', 18_080)
    for (let i = 0; i < 3; i++) assert.is(await said('127.7.7.7', 18_080), first)
    const [left, word] = first === 'one:' ? [two, 'two:'] : [one, 'one:']
    await listeners.lead([frontend({ ...bound, backends: [left] })])
    assert.is(await said('127.7.7.7', 18_080), word)
  },
)

tests('a backend that does not listen is passed over', async () => {
  const gone = { address: '127.0.0.1', port: 1 }
  await listeners.lead([frontend({ backends: [gone, one] })])
  for (let i = 0; i < 2; i++) assert.is(await said('127.7.7.7', 18_080), 'one:')
})

tests('without backends, and for those who may not come, connections are broken', async () => {
  await listeners.lead([frontend({})])
  assert.is(await said('127.7.7.7', 18_080), 'ECONNRESET')
  await listeners.lead([frontend({ backends: [one], sources: ['192.0.2.0/24'] })])
  assert.is(await said('127.7.7.7', 18_080), '')
})

tests(
  'ports of the node are at its addresses, and nothing listens where nothing is led',
  async () => {
    await listeners.lead([frontend({ address: '', backends: [one] })])
    assert.is(await said('127.0.0.1', 18_080), 'one:')
    assert.is(await said('127.7.7.7', 18_080), 'ECONNREFUSED')
  },
)

tests('datagrams come back from the port that they were sent to', async () => {
  const echo = createSocket('udp4')
  echo.on('message', (message, { port, address }) => echo.send(`got ${message}`, port, address))
  await new Promise<void>((resolve) => echo.bind(0, '127.0.0.1', resolve))
  const backends = [{ address: '127.0.0.1', port: echo.address().port }]
  await listeners.lead([frontend({ protocol: 'UDP', backends })])
  const client = createSocket('udp4')
  client.connect(18_080, '127.7.7.7', () => client.send('this'))
  const answer = await new Promise((resolve) => client.once('message', resolve))
  assert.is(String(answer), 'got this')
  client.close()
  echo.close()
})

tests('an address that is not of this machine is told once, and others are led', async () => {
  const outside = frontend({ address: '203.0.113.9' })
  for (let i = 0; i < 2; i++) await listeners.lead([outside, frontend({ backends: [one] })])
  assert.is(told.length, 1)
  assert.match(String(told[0]?.reason), 'EADDRNOTAVAIL')
  assert.is(await said('127.7.7.7', 18_080), 'one:')
})

tests.run()
