/** Messages of the name service. */
import packet, { type Answer, type Packet } from 'dns-packet'
import type { Question } from '../contract/answer.ts'

/** A question that arrived. */
export interface Asked {
  readonly id: number
  readonly question: Question
  /** Bits of the header that are given back. */
  readonly flags: number
  /** The most bytes of an answer over UDP. */
  readonly most: number
  readonly hasOptions: boolean
  /** The version of the extension that it is written in. */
  readonly optionsVersion: number
}

const leastBytes = 512
const mostBytes = 1232
/** No question is longer. */
const mostQuestionBytes = 4096

/** How an answer ends. */
export type Outcome = 'NOERROR' | 'SERVFAIL' | 'NXDOMAIN' | 'NOTIMP' | 'REFUSED' | 'BADVERS'

/** Those above 15 have their upper bits in the options. */
const codes: Readonly<Record<Outcome, number>> = {
  ...{ NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5, BADVERS: 16 },
}

/** Reads a question; undefined for what is none, which is not answered at all. */
export function readQuestion(message: Buffer): Asked | undefined {
  if (message.length < 12 || message.length > mostQuestionBytes) return undefined
  let found: Packet & { readonly id?: number | undefined }
  try {
    found = packet.decode(message)
  } catch {
    return undefined
  }
  const [question, ...more] = found.questions ?? []
  const flags = found.flags ?? 0
  if (found.type !== 'query' || question === undefined || more.length > 0) return undefined
  const options = found.additionals?.find((one) => one.type === 'OPT') as
    | { readonly udpPayloadSize?: number; readonly ednsVersion?: number }
    | undefined
  const told = options?.udpPayloadSize ?? leastBytes
  return {
    id: found.id ?? 0,
    question: { name: question.name, type: question.type },
    flags: flags & (packet.RECURSION_DESIRED | 0x7800),
    most: Math.min(Math.max(told, leastBytes), mostBytes),
    hasOptions: options !== undefined,
    optionsVersion: options?.ednsVersion ?? 0,
  }
}

/** The opcode of a question; 0 for the usual one. */
export function opcodeOf({ flags }: Asked): number {
  return (flags >> 11) & 15
}

/** What an answer says. */
export interface Reply {
  readonly outcome: Outcome
  readonly isAuthoritative?: boolean
  readonly answers?: readonly Answer[]
  readonly authorities?: readonly Answer[]
  readonly additionals?: readonly Answer[]
}

/** Writes an answer. One with more than `most` bytes is cut off, and says so: the asker comes again over TCP. */
export function writeReply(
  { id, question, flags, hasOptions }: Asked,
  { outcome, isAuthoritative = false, answers = [], authorities = [], additionals = [] }: Reply,
  most: number,
): Buffer {
  const extendedRcode = codes[outcome] >> 4
  const options = hasOptions ? [{ ...optionsRecord, extendedRcode }] : []
  const header = {
    ...{ type: 'response' as const, id, questions: [question as never] },
    flags:
      flags |
      packet.RECURSION_AVAILABLE |
      (isAuthoritative ? packet.AUTHORITATIVE_ANSWER : 0) |
      (codes[outcome] & 15),
  }
  const all = packet.encode({
    ...{ ...header, answers: [...answers], authorities: [...authorities] },
    additionals: [...additionals, ...options],
  })
  if (all.length <= most) return all
  const bare = packet.encode({ ...header, answers: [...answers], additionals: options })
  if (bare.length <= most) return bare
  return packet.encode({
    ...{ ...header, flags: header.flags | packet.TRUNCATED_RESPONSE, additionals: options },
  })
}

const optionsRecord = {
  ...{ type: 'OPT' as const, name: '.', udpPayloadSize: mostBytes, extendedRcode: 0 },
  ...{ ednsVersion: 0, flags: 0, flag_do: false, options: [] },
}

/** The answers of a message of others; none of one that cannot be read. */
export function answersIn(message: Buffer): readonly Answer[] {
  try {
    return packet.decode(message).answers ?? []
  } catch {
    return []
  }
}

/** A question of our own. */
export function writeQuestion({ name, type }: Question): Buffer {
  return packet.encode({
    ...{ type: 'query', id: 0, flags: packet.RECURSION_DESIRED },
    questions: [{ name, type: type as 'A', class: 'IN' }],
  })
}
