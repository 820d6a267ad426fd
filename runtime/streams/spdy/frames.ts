/** Frames of SPDY/3.1: what stands between two sides that share one connection. */

/** Types of control frames. */
export const frameTypes = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const

/** The flag of the last frame of a stream in one direction. */
export const finFlag = 1

/** A frame as it came. */
export type SpdyFrame =
  | { readonly is: 'data'; readonly stream: number; readonly flags: number; readonly body: Buffer }
  | { readonly is: 'control'; readonly type: number; readonly flags: number; readonly body: Buffer }

/** Most bytes of one frame: none of ours or of the clients' is longer. */
const mostBytes = 4 * 1024 * 1024

/** Cuts what arrives into frames, in pieces of any size. @throws an Error for what is no frame of SPDY/3.1. */
export class FrameCutter {
  #kept: Buffer = Buffer.alloc(0)

  cut(bytes: Buffer): readonly SpdyFrame[] {
    const frames: SpdyFrame[] = []
    let rest = this.#kept.length === 0 ? bytes : Buffer.concat([this.#kept, bytes])
    while (rest.length >= 8) {
      const length = rest.readUIntBE(5, 3)
      if (length > mostBytes) throw new Error(`a frame of ${length} bytes is too long`)
      if (rest.length < 8 + length) break
      const body = rest.subarray(8, 8 + length)
      frames.push(frameOf(rest, body))
      rest = rest.subarray(8 + length)
    }
    this.#kept = rest
    return frames
  }
}

function frameOf(head: Buffer, body: Buffer): SpdyFrame {
  const flags = head[4] as number
  const first = head.readUInt32BE(0)
  if (first < 0x80000000) return { is: 'data', stream: first, flags, body }
  const version = (first >>> 16) & 0x7fff
  if (version !== 3) throw new Error(`SPDY of version ${version} is not spoken here`)
  return { is: 'control', type: first & 0xffff, flags, body }
}

/** The head of a data frame. */
export function dataHead(stream: number, length: number, isLast: boolean): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(stream)
  head[4] = isLast ? finFlag : 0
  head.writeUIntBE(length, 5, 3)
  return head
}

/** A control frame without flags. */
export function controlFrame(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(0x80030000 + type)
  head.writeUIntBE(body.length, 5, 3)
  return Buffer.concat([head, body])
}

/** Numbers of 32 bits, one after the other. */
export function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, at) => {
    bytes.writeUInt32BE(value, at * 4)
  })
  return bytes
}
