/** Frames of RFC 6455 as a server that only tells has to know them. */
export const opcodes = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** What stands before a whole, unmasked message. */
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

/** The frame that ends a conversation. */
export function closeFrame(code: number): Buffer {
  const body = Buffer.alloc(2)
  body.writeUInt16BE(code)
  return Buffer.concat([frameHead(opcodes.close, 2), body])
}

export interface FrameListener {
  /** A frame of control, with what the client put into it. */
  readonly control: (opcode: number, body: Buffer) => void
  /** The client broke the protocol; nothing more is read. */
  readonly broken: () => void
}

/** Most bytes of a frame of control. */
const controlBytes = 125

/**
 * Hears what a client sends: frames of control are given on, messages are skipped, however long they say they are. It
 * never keeps more than one frame of control.
 */
export function frameReader({ control, broken }: FrameListener): (bytes: Buffer) => void {
  let kept: Buffer = Buffer.alloc(0)
  let skip = 0n
  let dead = false
  const fail = (): void => {
    dead = true
    kept = Buffer.alloc(0)
    broken()
  }
  return (bytes) => {
    let rest = kept.length === 0 ? bytes : Buffer.concat([kept, bytes])
    kept = Buffer.alloc(0)
    while (!dead) {
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

interface ReadFrame {
  readonly opcode: number
  readonly length: bigint
  readonly body: Buffer
  /** Where what comes behind it begins; of a message, its contents. */
  readonly end: number
}

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
