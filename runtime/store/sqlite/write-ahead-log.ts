import { type FileHandle, open } from 'node:fs/promises'
import { OperatorError } from '../../kernel/errors/operator-error.ts'
import { damaged } from './damage.ts'

/** What a database will not read of its write-ahead log, although it was there when something was written behind it. */
export interface LostWrites {
  /** Where in the log the last transaction ends that is read. */
  readonly from: number
  readonly bytes: number
}

/** A log that lost what was acknowledged. The next process that opens the database goes on without it, and the log is gone then. */
export class LostWritesError extends OperatorError {
  readonly lost: LostWrites

  constructor(path: string, lost: LostWrites) {
    const { from, bytes } = lost
    const what = `${path}-wal is not what was written behind byte ${from}, so that ${bytes} bytes of acknowledged writes cannot be read`
    super(damaged(what).message)
    this.lost = lost
  }
}

const headerBytes = 32
const frameHeaderBytes = 24
/** Frames that are read at once. */
const framesAtOnce = 256
/** The first four bytes of a log whose checksums are of words with the low byte first; the other order is one more. */
const magic = 0x377f0682

/**
 * What of the log beside a database is lost.
 *
 * A database reads its log up to the first frame that has not its checksum: what a crash left half written ends so. The checksum of a
 * frame continues that of the one before it, and a transaction is written only once the one before it is on the disk: two frames behind
 * that place which follow each other, the former the last of its transaction, prove that everything before them had been written.
 */
export async function lostWrites(path: string): Promise<LostWrites | undefined> {
  const log = await open(`${path}-wal`).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  try {
    return log && (await lostIn(log, await databasePageBytes(path)))
  } finally {
    await log?.close()
  }
}

async function lostIn(log: FileHandle, databasePage: number): Promise<LostWrites | undefined> {
  const header = await read(log, 0, headerBytes)
  if (header.length < headerBytes) return undefined
  const reader = new FrameReader(header)
  const pageBytes = reader.sound ? header.readUInt32BE(8) : databasePage
  if (!isPageSize(pageBytes)) return undefined
  const frameBytes = frameHeaderBytes + pageBytes
  for (let at = headerBytes; ; ) {
    const frames = await read(log, at, frameBytes * framesAtOnce)
    for (let start = 0; start + frameBytes <= frames.length; start += frameBytes) {
      reader.next(frames.subarray(start, start + frameBytes), at + start)
    }
    at += frames.length
    if (frames.length < frameBytes * framesAtOnce) return reader.lost
  }
}

type Sums = readonly [number, number]

/** Follows the frames of a log. */
class FrameReader {
  /** False where the database will not read the log at all. */
  readonly sound: boolean
  readonly #lowFirst: boolean
  #salts: Buffer | undefined
  /** The checksum that the frame before has, and whether that ended a transaction. */
  #sums: Sums
  #committed = false
  #broken: boolean
  #readUpTo = headerBytes
  #lostUpTo = 0

  constructor(header: Buffer) {
    const found = header.readUInt32BE(0)
    this.#lowFirst = found !== magic + 1
    this.#sums = storedSums(header, headerBytes - 8)
    const [first, second] = this.#sumsOf(header.subarray(0, headerBytes - 8), [0, 0])
    this.sound =
      (found === magic || found === magic + 1) &&
      isPageSize(header.readUInt32BE(8)) &&
      first === this.#sums[0] &&
      second === this.#sums[1]
    this.#broken = !this.sound
    this.#salts = this.sound ? Buffer.from(header.subarray(16, 24)) : undefined
  }

  get lost(): LostWrites | undefined {
    const from = this.#readUpTo
    return this.#lostUpTo > from ? { from, bytes: this.#lostUpTo - from } : undefined
  }

  next(frame: Buffer, at: number): void {
    const salts = frame.subarray(8, 16)
    const ours = frame.readUInt32BE(0) !== 0 && (this.#salts?.equals(salts) ?? true)
    const stored = storedSums(frame, 16)
    const continued = this.#sumsOf(frame.subarray(0, 8), this.#sums)
    const [first, second] = this.#sumsOf(frame.subarray(frameHeaderBytes), continued)
    const follows = ours && first === stored[0] && second === stored[1]
    const end = at + frame.length
    if (this.#broken && follows && this.#committed) this.#lostUpTo = end
    if (!follows) this.#broken = true
    this.#committed = ours && frame.readUInt32BE(4) !== 0
    if (!this.#broken && this.#committed) this.#readUpTo = end
    if (!this.sound) this.#salts = Buffer.from(salts)
    this.#sums = stored
  }

  #sumsOf(bytes: Buffer, [first, second]: Sums): Sums {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let [one, other] = [first | 0, second | 0]
    for (let at = 0; at < bytes.length; at += 8) {
      one = (one + view.getInt32(at, this.#lowFirst) + other) | 0
      other = (other + view.getInt32(at + 4, this.#lowFirst) + one) | 0
    }
    return [one, other]
  }
}

function storedSums(bytes: Buffer, at: number): Sums {
  return [bytes.readInt32BE(at), bytes.readInt32BE(at + 4)]
}

function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 65536 && (bytes & (bytes - 1)) === 0
}

/** The bytes of a page of a database, as its first page says; 0 where there is none. */
async function databasePageBytes(path: string): Promise<number> {
  const file = await open(path).catch(() => undefined)
  try {
    const start = file === undefined ? Buffer.alloc(0) : await read(file, 0, 18)
    const said = start.length < 18 ? 0 : start.readUInt16BE(16)
    return said === 1 ? 65536 : said
  } finally {
    await file?.close()
  }
}

/** So many bytes at a place of a file, or as many as there are. */
async function read(file: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes)
  let length = 0
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, bytes - length, at + length)
    length += bytesRead
    if (bytesRead === 0 || length === bytes) return buffer.subarray(0, length)
  }
}
