/**
 * A program that has a service proxy lead services of a real server, and prints what clients get: `WAY ADDRESS [USER]`. The backends are at ADDRESS, and the
 * proxy runs as USER. With `CLIENT_NETWORK`, the number of a process in another network, it asks from there, too.
 */
import { execFile } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { getEventListeners } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { promisify } from 'node:util'
import { namespaces } from '../../generated/apis/core/v1/namespace.ts'
import { type ServiceSpec, services } from '../../generated/apis/core/v1/service.ts'
import { endpointSlices } from '../../generated/apis/discovery/v1.ts'
import { scheme } from '../../generated/scheme.ts'
import { defaultServiceRanges } from '../../runtime/apis/apis.ts'
import { startApiServer } from '../../runtime/apiserver/apiserver.ts'
import { createClient, httpTransport } from '../../runtime/client/client.ts'
import { systemClock, systemRandom } from '../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../runtime/observe/observe.ts'
import { runServiceProxy } from '../../runtime/service-proxy/service-proxy.ts'
import { until } from './until.ts'

const [, , way = '', address = '', user] = process.argv
const clientNetwork = process.env.CLIENT_NETWORK
const clock = systemClock
/** An ordinary user has addresses of loopback only, from which nftables lead nowhere. */
const range = user === undefined ? '10.96.9' : '127.96.9'
const server = await startApiServer({
  ...{ scheme, storage: { kind: 'memory' }, clock, log: silentLog, listen: { port: 0 } },
  serviceRanges: { ...defaultServiceRanges, addresses: [`${range}.0/24`] },
})
const client = createClient(httpTransport({ server: server.url }), { clock })
await client.resource(namespaces).create({ metadata: { name: 'shop' } })
if (user !== undefined) {
  process.setgroups?.([])
  process.setgid?.(Number(user))
  process.setuid?.(Number(user))
}

/** A port of TCP and UDP that tells its word, and who came. */
async function backend(word: string) {
  const tcp = createServer((socket) => socket.end(`${word} ${socket.remoteAddress}`))
  await new Promise<void>((resolve) => tcp.listen(0, address, resolve))
  const { port } = tcp.address() as AddressInfo
  const udp = createSocket('udp4')
  udp.on('message', (_, from) => udp.send(word, from.port, from.address))
  await new Promise<void>((resolve) => udp.bind(port, address, resolve))
  tcp.unref()
  udp.unref()
  return { word, port }
}

type State = 'ready' | 'waiting' | 'ending' | 'ended' | 'elsewhere'
const conditions = {
  ready: { ready: true, serving: true, terminating: false },
  elsewhere: { ready: true, serving: true, terminating: false },
  waiting: { ready: false, serving: false, terminating: false },
  ending: { ready: false, serving: true, terminating: true },
  ended: { ready: false, serving: false, terminating: true },
}

/** Says what becomes of a backend of a service: a slice each, since all of them have one address. */
async function put(service: string, { word, port }: Backend, state: State): Promise<void> {
  const nodeName = state === 'elsewhere' ? 'there' : 'here'
  const slices = client.resource(endpointSlices).in('shop')
  await slices.apply({
    metadata: { name: `${service}-${word}`, labels: { 'orch.io/service-name': service } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [address], conditions: conditions[state], nodeName }],
    ports: [
      { name: 'web', port },
      { name: 'echo', protocol: 'UDP', port },
    ],
  })
}
type Backend = Awaited<ReturnType<typeof backend>>

const ports = [
  { name: 'web', port: 8080 },
  { name: 'echo', protocol: 'UDP' as const, port: 8080 },
]

/** A service with that address in the range; gives its address and the port of the node for TCP. */
async function made(name: string, last: number, spec: ServiceSpec = {}) {
  const clusterIP = `${range}.${last}`
  const all = { clusterIP, ports, ...spec }
  const made = await client.resource(services).in('shop').create({ metadata: { name }, spec: all })
  return { host: clusterIP, nodePort: made.spec?.ports?.[0]?.nodePort ?? 0 }
}

/** What a port says; the code of the error of one that says nothing. */
function said(host: string, port = 8080): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    let got = ''
    socket.on('data', (chunk) => {
      got += chunk
    })
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
    socket.on('end', () => resolve(got))
  })
}

/** The words of so many connections, each once. */
async function words(host: string, port = 8080, count = 16): Promise<readonly string[]> {
  const all = new Set<string>()
  for (let i = 0; i < count; i++) all.add((await said(host, port)).split(' ')[0] ?? '')
  return [...all].sort()
}

/** Asks until the words are those. A change is led soon after it is written. */
async function become(wanted: string, host: string, port = 8080): Promise<string> {
  return until(`${host}:${port} says ${wanted}`, async () => {
    const found = (await words(host, port)).join()
    return found === wanted && found
  })
}

/** What a datagram is answered with; those that nobody answers are sent again. */
async function echoed(host: string): Promise<string> {
  return until('a datagram is answered', async () => {
    const socket = createSocket('udp4')
    const answer = new Promise<string>((resolve) => {
      socket.once('message', (message) => resolve(String(message)))
      socket.once('error', () => resolve(''))
      clock.after(200, () => resolve(''))
    })
    socket.connect(8080, host, () => socket.send('a'))
    const text = await answer
    socket.removeAllListeners()
    socket.on('error', () => {})
    socket.close()
    return text
  })
}

/** What a port says to who asks from another network. */
async function saidOutside(host: string, port: number): Promise<string> {
  const script = `exec 3<>/dev/tcp/${host}/${port} && cat <&3`
  const words = ['-t', String(clientNetwork), '-n', 'bash', '-c', script]
  const { stdout } = await promisify(execFile)('nsenter', words)
  return stdout
}

const [one, two, three] = [await backend('one'), await backend('two'), await backend('three')]
const ended = new AbortController()
const found: Record<string, unknown> = {}
const proxy = runServiceProxy(
  {
    ...{ client, platform: scheme.platform, nodeName: 'here', table: 'orch-world' },
    ...{ nodeAddresses: ['127.0.0.1', address], clock, random: systemRandom, log: silentLog },
    way: way as 'nftables' | 'userland',
    onWay: ({ name }) => {
      found.way = name
    },
  },
  ended.signal,
)

const plain = await made('plain', 21, { type: 'NodePort' })
await put('plain', one, 'ready')
await put('plain', two, 'ready')
await put('plain', three, 'waiting')
found.ready = await become('one,two', plain.host)
found.atNode = [await words(address, plain.nodePort), await words('127.0.0.1', plain.nodePort)]
found.datagram = /^(one|two)$/.test(await echoed(plain.host))
await put('plain', three, 'ready')
found.later = await become('one,three,two', plain.host)
await put('plain', one, 'ending')
await put('plain', two, 'ended')
await put('plain', three, 'waiting')
found.ending = await become('one', plain.host)
await put('plain', one, 'ended')
found.none = await until('nobody answers', async () => {
  const code = await said(plain.host)
  return code.startsWith('E') && code
})
await put('plain', two, 'ready')
found.again = await become('two', plain.host)

const bound = await made('bound', 22, {
  sessionAffinity: 'ClientIP',
  sessionAffinityConfig: { clientIP: { timeoutSeconds: 1 } },
})
await put('bound', one, 'ready')
await put('bound', two, 'ready')
await until('it is led', async () => /^(one|two)$/.test((await words(bound.host, 8080, 1)).join()))
const [first = ''] = await words(bound.host, 8080, 1)
found.bound = (await words(bound.host)).join() === first
found.freed = await until('the client is forgotten', async () => {
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  return (await words(bound.host, 8080, 1)).join() !== first
})

const inner = await made('inner', 23, { internalTrafficPolicy: 'Local' })
await put('inner', one, 'elsewhere')
await put('inner', two, 'ready')
found.inner = await become('two', inner.host)

const outer = await made('outer', 24, { type: 'NodePort', externalTrafficPolicy: 'Local' })
await put('outer', one, 'elsewhere')
await put('outer', two, 'ready')
found.outer = [await become('one,two', outer.host), await become('two', address, outer.nodePort)]
if (clientNetwork !== undefined) {
  found.outside = {
    plain: await saidOutside(address, plain.nodePort),
    kept: await saidOutside(address, outer.nodePort),
  }
}

// As many however many changes there were.
found.waiting = getEventListeners(ended.signal, 'abort').length < 8
ended.abort()
await proxy
found.stopped = await said('127.0.0.1', plain.nodePort)
console.log(JSON.stringify(found))
client.close()
await server.stop()
