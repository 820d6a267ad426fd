/** Whatever arrives, the name server reads it or drops it, and what it says fits. */
import packet from 'dns-packet'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ClusterNames, zoneAnswer } from '../../../runtime/cluster-dns/cluster-dns.ts'
import { readQuestion, writeReply } from '../../../runtime/cluster-dns/serving/messages.ts'

const tests = suite('cluster-dns: odd messages')
const facts = { zone: 'cluster.local', ttl: 5 }
const spec = { clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.7'], ports: [{ name: 'a', port: 1 }] }
const names = {
  service: (namespace: string, name: string) => ({ metadata: { name, namespace }, spec }),
  hasNamespace: () => true,
  ...{ slicesOf: () => [], servicesAt: () => [], slicesAt: () => [], serviceOf: () => undefined },
} as unknown as ClusterNames

/** What is answered over UDP; undefined for what is dropped. */
function answered(message: Buffer): Buffer | undefined {
  const asked = readQuestion(message)
  if (asked === undefined) return undefined
  const found = zoneAnswer(asked.question, names, facts)
  const outcome = found?.exists === false ? 'NXDOMAIN' : 'NOERROR'
  const answer = writeReply(asked, { outcome, answers: found?.answers ?? [] }, asked.most)
  assert.ok(answer.length <= Math.max(asked.most, message.length + 23))
  assert.equal(answer.subarray(0, 2), message.subarray(0, 2))
  packet.decode(answer)
  return answer
}

const labels = fc.array(fc.stringMatching(/^[\x01-\xff]{1,63}$/), { maxLength: 5 })
const question = fc
  .record({
    ...{ id: fc.nat(65_535), flags: fc.nat(65_535), payload: fc.nat(65_535), labels },
    type: fc.constantFrom('A', 'AAAA', 'SRV', 'PTR', 'ANY', 'NAPTR', 'AXFR'),
    end: fc.constantFrom('', '.svc.cluster.local', '.pod.cluster.local', '.in-addr.arpa'),
  })
  .map(({ id, flags, payload, type, labels: all, end }) => {
    const options = { type: 'OPT', name: '.', udpPayloadSize: payload, flags: 0, options: [] }
    const questions = [{ type, name: `${all.join('.')}${end}` }]
    const whole = { type: 'query', id, flags, questions, additionals: [options] }
    try {
      return packet.encode(whole as never)
    } catch {
      return Buffer.alloc(12)
    }
  })

/** A question of which some bytes are others, or that ends early. */
const damaged = fc
  .tuple(question, fc.array(fc.tuple(fc.nat(300), fc.nat(255)), { maxLength: 6 }), fc.nat(400))
  .map(([message, changes, length]) => {
    const own = Buffer.from(message)
    for (const [at, byte] of changes) if (at < own.length) own[at] = byte
    return own.subarray(0, Math.max(length, 12))
  })

tests('questions, damaged ones and noise are answered or dropped', () => {
  const noise = fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes))
  const all = fc.oneof(question, damaged, noise)
  fc.assert(
    fc.property(all, (message) => void answered(message)),
    { numRuns: 3_000 },
  )
})

tests('a name that leads to itself is none, and a message of many kilobytes is no question', () => {
  const head = [0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
  assert.is(answered(Buffer.from([...head, 0xc0, 12, 0, 1, 0, 1])), undefined)
  assert.is(answered(Buffer.from([...head, 0xc0, 14, 0xc0, 12, 0, 1, 0, 1])), undefined)
  assert.is(answered(Buffer.concat([Buffer.from(head), Buffer.alloc(5_000)])), undefined)
})

tests('another version of the extension is refused as such', () => {
  const options = { type: 'OPT', name: '.', udpPayloadSize: 1232, ednsVersion: 1, flags: 0 }
  const message = packet.encode({
    ...{ type: 'query', id: 7, questions: [{ type: 'A', name: 'a.b' }] },
    additionals: [{ ...options, options: [] } as never],
  })
  const asked = readQuestion(message)
  assert.is(asked?.optionsVersion, 1)
  const answer = packet.decode(writeReply(asked!, { outcome: 'BADVERS' }, 512))
  const told = answer.additionals?.[0] as { readonly extendedRcode?: number }
  assert.equal([(answer as { readonly rcode?: string }).rcode, told.extendedRcode], ['NOERROR', 1])
})

tests.run()
