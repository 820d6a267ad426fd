import { createSocket } from 'node:dgram'
import { type AddressInfo, createServer, isIP, type Socket } from 'node:net'
import type { Clock, Random } from '../../kernel/async/clock.ts'
import type { Log } from '../../observe/observe.ts'
import type { ZoneAnswer } from '../contract/answer.ts'
import type { ClusterNames } from '../contract/cluster-names.ts'
import type { ZoneFacts } from '../zone/service-answer.ts'
import { authorityOf, zoneAnswer } from '../zone/zone-answer.ts'
import {
  type Asked,
  answersIn,
  opcodeOf,
  readQuestion,
  writeQuestion,
  writeReply,
} from './messages.ts'
import { askOthers, framed, type NameServer } from './upstream.ts'

/** What is answered, and where. */
export interface DnsServerOptions extends ZoneFacts {
  readonly names: ClusterNames
  /** Who is asked about names outside of the domain. */
  readonly upstream: readonly NameServer[]
  readonly host: string
  /** 0 for one that is free. */
  readonly port: number
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** A name server on a bound port, of UDP and TCP. */
export interface DnsServer {
  readonly port: number
  stop(): Promise<void>
}

/** Connections at once, milliseconds until one on which nothing comes is closed, and the most bytes of a message over TCP. */
const [mostConnections, idleMs, mostTcpBytes] = [200, 10_000, 65_535]
/** So many names are followed one after the other. */
const mostAliases = 8

/** Binds the port. @throws the error of node:net or node:dgram if it cannot be bound. */
export async function serveDns(options: DnsServerOptions): Promise<DnsServer> {
  const { host, log } = options
  const sockets = new Set<Socket>()
  const tcp = createServer((socket) => {
    sockets.add(socket)
    socket.setTimeout(idleMs, () => socket.destroy())
    socket.on('error', () => socket.destroy())
    socket.once('close', () => sockets.delete(socket))
    void serveConnection(socket).catch(() => socket.destroy())
  })
  tcp.maxConnections = mostConnections
  const port = await new Promise<number>((resolve, reject) => {
    tcp.once('error', reject)
    tcp.listen({ host, port: options.port }, () => {
      tcp.off('error', reject)
      resolve((tcp.address() as AddressInfo).port)
    })
  })
  const udp = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4')
  udp.on('message', (message, from) => {
    answerTo(message, 'udp', options).then(
      (answer) => answer && udp.send(answer, from.port, from.address),
      (error) => log.error('a question was not answered', {}, error),
    )
  })
  await new Promise<void>((resolve, reject) => {
    udp.once('error', reject)
    udp.bind({ address: host, port }, resolve)
  }).catch((error) => {
    tcp.close()
    throw error
  })
  udp.removeAllListeners('error')
  udp.on('error', (error) => log.warn('a datagram was lost', { reason: error.message }))
  udp.unref()
  tcp.unref()
  return {
    port,
    async stop() {
      udp.close()
      const closed = new Promise<void>((resolve) => tcp.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }

  async function serveConnection(socket: Socket): Promise<void> {
    let got: Buffer = Buffer.alloc(0)
    for await (const chunk of socket) {
      got = Buffer.concat([got, chunk as Buffer])
      while (got.length >= 2 && got.length >= got.readUInt16BE(0) + 2) {
        const length = got.readUInt16BE(0)
        const answer = await answerTo(got.subarray(2, length + 2), 'tcp', options)
        got = got.subarray(length + 2)
        if (answer === undefined) return void socket.destroy()
        socket.write(framed(answer))
      }
    }
  }
}

/** The answer to a message; undefined for one that is not answered. */
async function answerTo(
  message: Buffer,
  way: 'udp' | 'tcp',
  options: DnsServerOptions,
): Promise<Buffer | undefined> {
  const asked = readQuestion(message)
  if (asked === undefined) return undefined
  const most = way === 'udp' ? asked.most : mostTcpBytes
  if (opcodeOf(asked) !== 0) return writeReply(asked, { outcome: 'NOTIMP' }, most)
  if (asked.optionsVersion !== 0) return writeReply(asked, { outcome: 'BADVERS' }, most)
  const { names, upstream, clock } = options
  const found = zoneAnswer(asked.question, names, options)
  if (found !== undefined)
    return zoneReply(asked, await followed(found, asked, options), most, options)
  const answer = await askOthers(message, upstream, way, clock)
  return answer ?? writeReply(asked, { outcome: 'SERVFAIL' }, most)
}

function zoneReply(
  asked: Asked,
  { exists, answers, additionals }: ZoneAnswer,
  most: number,
  options: DnsServerOptions,
): Buffer {
  const authorities =
    answers.length > 0 ? [] : [authorityOf(options, Math.floor(options.clock.now() / 1000))]
  const reply = {
    outcome: exists ? ('NOERROR' as const) : ('NXDOMAIN' as const),
    isAuthoritative: true,
  }
  const turned = turn(answers, options.random)
  return writeReply(asked, { ...reply, answers: turned, authorities, additionals }, most)
}

/** Clients that take the first address come to all of them. Names that lead to others stay before those. */
function turn<T extends { readonly type: string }>(
  answers: readonly T[],
  random: Random,
): readonly T[] {
  if (answers.some(({ type }) => type === 'CNAME')) return answers
  const first = Math.floor(random() * answers.length)
  return [...answers.slice(first), ...answers.slice(0, first)]
}

/** The answer with what the name is that it leads to. */
async function followed(
  found: ZoneAnswer,
  { question }: Asked,
  options: DnsServerOptions,
): Promise<ZoneAnswer> {
  const { names, upstream, clock } = options
  let all = found
  for (let left = mostAliases; all.outside !== undefined && left > 0; left--) {
    const { outside, ...rest } = all
    const next = { name: outside, type: question.type }
    const own = zoneAnswer(next, names, options)
    if (own === undefined) {
      const message = await askOthers(writeQuestion(next), upstream, 'tcp', clock)
      const answer = message ?? (await askOthers(writeQuestion(next), upstream, 'udp', clock))
      const told = answer === undefined ? [] : answersIn(answer)
      return { ...rest, answers: [...rest.answers, ...told] }
    }
    all = { ...own, exists: true, answers: [...rest.answers, ...own.answers] }
  }
  const { outside: _, ...rest } = all
  return rest
}
