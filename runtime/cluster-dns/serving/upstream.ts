/** Questions that others answer. */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { connect, isIP } from 'node:net'
import type { Clock } from '../../kernel/async/clock.ts'

/** A name server. */
export interface NameServer {
  readonly address: string
  readonly port: number
}

/** The name servers of the machine, without those that are left out. */
export function machineNameServers(except: readonly string[]): readonly NameServer[] {
  let text = ''
  try {
    text = readFileSync('/etc/resolv.conf', 'utf8')
  } catch {
    return []
  }
  return text.split('\n').flatMap((line) => {
    const address = /^\s*nameserver\s+(\S+)/.exec(line)?.[1] ?? ''
    return isIP(address) !== 0 && !except.includes(address) ? [{ address, port: 53 }] : []
  })
}

/** Milliseconds that one server has to answer. */
const answerMs = 2_000
/** Questions that wait for others at once. */
const mostWaiting = 1_000
let waiting = 0

/** Sends a question on, to one server after the other, in the way it came. Resolves to what is answered, with the id of the question; undefined if none of them does. */
export async function askOthers(
  question: Buffer,
  servers: readonly NameServer[],
  way: 'udp' | 'tcp',
  clock: Clock,
): Promise<Buffer | undefined> {
  if (question.length < 12 || waiting >= mostWaiting) return undefined
  const own = Buffer.from(question)
  own.writeUInt16BE(randomInt(65_536), 0)
  waiting += 1
  try {
    for (const server of servers) {
      const answer = await (way === 'udp' ? askByUdp : askByTcp)(own, server, clock)
      if (answer === undefined) continue
      const shown = Buffer.from(answer)
      question.copy(shown, 0, 0, 2)
      return shown
    }
  } finally {
    waiting -= 1
  }
  return undefined
}

function isAnswerTo(answer: Buffer, question: Buffer): boolean {
  return answer.length >= 12 && answer.readUInt16BE(0) === question.readUInt16BE(0)
}

function askByUdp(
  question: Buffer,
  { address, port }: NameServer,
  clock: Clock,
): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4')
    const finish = (answer?: Buffer): void => {
      cancel()
      socket.removeAllListeners('message')
      socket.close()
      resolve(answer)
    }
    const cancel = clock.after(answerMs, () => finish())
    socket.once('error', () => finish())
    socket.connect(port, address, () => {
      socket.on('message', (answer) => isAnswerTo(answer, question) && finish(answer))
      socket.send(question)
    })
  })
}

function askByTcp(
  question: Buffer,
  { address, port }: NameServer,
  clock: Clock,
): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port })
    let got: Buffer = Buffer.alloc(0)
    const finish = (answer?: Buffer): void => {
      cancel()
      socket.destroy()
      resolve(answer)
    }
    const cancel = clock.after(answerMs, () => finish())
    socket.on('error', () => finish())
    socket.on('close', () => finish())
    socket.on('data', (chunk: Buffer) => {
      got = Buffer.concat([got, chunk])
      const length = got.length < 2 ? Number.POSITIVE_INFINITY : got.readUInt16BE(0)
      if (got.length < length + 2) return
      const answer = got.subarray(2, length + 2)
      finish(isAnswerTo(answer, question) ? answer : undefined)
    })
    socket.write(framed(question))
  })
}

/** A message as it goes over TCP. */
export function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}
