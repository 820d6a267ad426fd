/** Frames of RFC 6455, section 5, as far as a server needs them that only sends messages. */
export const opcodes = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** The header of a message in one frame. A server does not mask what it sends. */
export function frameHead(opcode: number, length: number): Buffer {
  if (length < 126) return Buffer.from([0x80 | opcode, length])
  const wide = length > 65_535
  const head = Buffer.alloc(wide ? 10 : 4)
  head[0] = 0x80 | opcode
  head[1] = wide ? 127 : 126
  if (wide) head.writeBigUInt64BE(BigInt(length), 2)
  else head.writeUInt16BE(length, 2)
  return head
}

/** The frame that closes a websocket, with a status code such as 1000 (RFC 6455, section 7.4). */
export function closeFrame(code: number): Buffer {
  const body = Buffer.alloc(2)
  body.writeUInt16BE(code)
  return Buffer.concat([frameHead(opcodes.close, 2), body])
}

/** Called with what a client sends. */
export interface FrameListener {
  /** A whole control frame (close, ping, pong) with its payload, unmasked. */
  readonly control: (opcode: number, body: Buffer) => void
  /** The client broke the protocol. Nothing more is read. */
  readonly broken: () => void
}

/** Most bytes in the payload of a control frame. */
const controlBytes = 125

/**
 * Reads what a client sends, in pieces of any size: control frames are passed on, messages are skipped unread, however long
 * their headers say they are. Never keeps more than one control frame, and takes time in proportion to the bytes.
 */
export function frameReader({ control, broken }: FrameListener): (bytes: Buffer) => void {
  let kept: Buffer = Buffer.alloc(0)
  let skip = 0n
  let failed = false
  const fail = (): void => {
    failed = true
    kept = Buffer.alloc(0)
    broken()
  }
  return (bytes) => {
    let rest = kept.length === 0 ? bytes : Buffer.concat([kept, bytes])
    kept = Buffer.alloc(0)
    while (!failed) {
      const skipped = skip < BigInt(rest.length) ? Number(skip) : rest.length
      rest = rest.subarray(skipped)
      skip -= BigInt(skipped)
      if (rest.length === 0) return
      const frame = readFrame(rest)
      if (frame === 'broken') return fail()
      if (frame === 'partial') {
        kept = Buffer.from(rest)
        return
      }
      rest = rest.subarray(frame.end)
      if (frame.opcode < opcodes.close) skip = frame.length
      else control(frame.opcode, frame.body)
    }
  }
}

/** The first frame of some bytes. */
interface ReadFrame {
  readonly opcode: number
  /** Bytes of the payload: up to 2^63, whatever arrives of them. */
  readonly length: bigint
  /** The payload of a control frame, empty for a message. */
  readonly body: Buffer
  /** Where the next frame begins; for a message, where its payload begins. */
  readonly end: number
}

/** Reserved bits, a missing mask and a long control frame break the protocol; extensions that would allow them are not offered. */
function readFrame(bytes: Buffer): ReadFrame | 'partial' | 'broken' {
  if (bytes.length < 2) return 'partial'
  const [first = 0, second = 0] = bytes
  const opcode = first & 15
  const short = second & 127
  const isControl = opcode >= opcodes.close
  const masked = (second & 128) !== 0
  if (!masked || (first & 0x70) !== 0 || (isControl && short > controlBytes)) return 'broken'
  const wide = short === 126 ? 2 : short === 127 ? 8 : 0
  const start = 2 + wide + 4
  if (bytes.length < start) return 'partial'
  const length =
    wide === 0
      ? BigInt(short)
      : wide === 2
        ? BigInt(bytes.readUInt16BE(2))
        : bytes.readBigUInt64BE(2)
  if (!isControl) return { opcode, length, body: Buffer.alloc(0), end: start }
  const end = start + short
  if (bytes.length < end) return 'partial'
  const mask = bytes.subarray(start - 4, start)
  const body = Buffer.from(bytes.subarray(start, end).map((byte, at) => byte ^ (mask[at % 4] ?? 0)))
  return { opcode, length, body, end }
}
