/** The name server on sockets: UDP, TCP, other servers, and what is no question. */
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import packet, { type DecodedPacket, type Packet } from 'dns-packet'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type ClusterNames,
  type DnsServer,
  serveDns,
} from '../../../runtime/cluster-dns/cluster-dns.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'

const tests = suite('cluster-dns: server')
const host = '127.0.0.1'
const manyIps = Array.from({ length: 20 }, (_, index) => `10.0.1.${index}`)
const clusterIPs: Readonly<Record<string, readonly string[]>> = { web: ['10.0.0.7'], many: manyIps }
const externalNames: Readonly<Record<string, string>> = {
  outside: 'there.example.com',
  alias: 'web.shop.svc.cluster.local',
}

const names = {
  service: (_: string, name: string) => {
    const externalName = externalNames[name]
    if (externalName !== undefined) {
      return { metadata: { name, namespace: 'shop' }, spec: { type: 'ExternalName', externalName } }
    }
    const own = clusterIPs[name]
    return (
      own && { metadata: { name, namespace: 'shop' }, spec: { clusterIP: own[0], clusterIPs: own } }
    )
  },
  hasNamespace: () => true,
  ...{ slicesOf: () => [], servicesAt: () => [], slicesAt: () => [], serviceOf: () => undefined },
} as unknown as ClusterNames

let upstream: DnsServer
let server: DnsServer
const facts = { names, ttl: 5, host, port: 0, clock: systemClock, random: () => 0, log: silentLog }

tests.before(async () => {
  const there = { metadata: { name: 'x', namespace: 'x' }, spec: { clusterIP: '192.0.2.44' } }
  const others = { ...names, service: () => there } as unknown as ClusterNames
  upstream = await serveDns({ ...facts, names: others, zone: 'example.com', upstream: [] })
  const place = { address: host, port: upstream.port }
  server = await serveDns({ ...facts, zone: 'cluster.local', upstream: [place] })
})
tests.after(async () => {
  await server.stop()
  await upstream.stop()
})

const question = (name: string, more: object = {}) =>
  packet.encode({
    ...{ type: 'query', id: 77, flags: packet.RECURSION_DESIRED, ...more },
    questions: [{ type: 'A', name }],
  })

function asked(message: Buffer): Promise<DecodedPacket & { readonly rcode?: string }> {
  const socket = createSocket('udp4')
  return new Promise((resolve) => {
    socket.once('message', (answer) => {
      socket.close()
      resolve(packet.decode(answer))
    })
    socket.send(message, server.port, host)
  })
}

const dataOf = ({ answers = [] }: Packet) =>
  answers.map((one) => ('data' in one ? String(one.data) : ''))

tests(
  'a question is answered with its id, and a name that is not there with the authority',
  async () => {
    const found = await asked(question('web.shop.svc.cluster.local'))
    assert.equal([found.id, found.rcode, dataOf(found)], [77, 'NOERROR', ['10.0.0.7']])
    const absent = await asked(question('absent.shop.svc.cluster.local'))
    assert.is(absent.rcode, 'NXDOMAIN')
    assert.equal(
      absent.authorities?.map(({ type }) => type),
      ['SOA'],
    )
  },
)

tests('an answer that is too long for UDP comes whole over TCP', async () => {
  const cut = await asked(question('many.shop.svc.cluster.local'))
  assert.equal([Boolean((cut.flags ?? 0) & packet.TRUNCATED_RESPONSE), dataOf(cut)], [true, []])
  const options = { type: 'OPT', name: '.', udpPayloadSize: 4096, flags: 0, options: [] }
  const more = await asked(question('many.shop.svc.cluster.local', { additionals: [options] }))
  assert.is(dataOf(more).length, 20)
  const message = question('many.shop.svc.cluster.local')
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  const socket = connect({ host, port: server.port })
  socket.write(Buffer.concat([length, message]))
  let got = Buffer.alloc(0)
  for await (const chunk of socket) {
    got = Buffer.concat([got, chunk as Buffer])
    if (got.length >= 2 && got.length >= got.readUInt16BE(0) + 2) break
  }
  assert.is(dataOf(packet.decode(got.subarray(2))).length, 20)
})

tests('a service with an external name leads on to what that is, here or there', async () => {
  const outside = await asked(question('outside.shop.svc.cluster.local'))
  assert.equal(dataOf(outside).slice(0, 1), ['there.example.com'])
  const alias = await asked(question('alias.shop.svc.cluster.local'))
  assert.equal(dataOf(alias), ['web.shop.svc.cluster.local', '10.0.0.7'])
})

tests('other names are asked of others, and their answer comes as it is', async () => {
  const found = await asked(question('x.x.svc.example.com'))
  assert.equal([found.id, found.rcode], [77, 'NOERROR'])
  assert.equal(dataOf(found), ['192.0.2.44'])
  assert.is((await asked(question('nowhere.example.org'))).rcode, 'SERVFAIL')
})

tests('what is no question is not answered, and the next one is', async () => {
  const socket = createSocket('udp4')
  const answers: Buffer[] = []
  socket.on('message', (answer) => answers.push(answer))
  for (const odd of [
    Buffer.alloc(0),
    Buffer.from('text'),
    Buffer.alloc(12, 255),
    Buffer.alloc(600, 192),
  ]) {
    socket.send(odd, server.port, host)
  }
  const found = await asked(question('web.shop.svc.cluster.local'))
  assert.equal(dataOf(found), ['10.0.0.7'])
  assert.is(answers.length, 0)
  socket.close()
})

tests.run()
