import { createHash, type Hash } from 'node:crypto'
import type { StoreDump } from '../dump.ts'
import type { Change } from '../log-store.ts'
import {
  type ArchiveHeader,
  type ArchiveTrailer,
  archiveVersion,
  maxBlockBytes,
  maxLineBytes,
  rowHeadBytes,
} from './format.ts'

/** An archive that is being read. */
export interface Archive extends StoreDump {
  readonly header: ArchiveHeader
}

/**
 * Reads an archive: its header at once, its rows as they are asked for. Rows are to be believed once all of them were read.
 *
 * @throws Error that names the archive, if it is none, is of a later format, ends early, or is not what was written.
 */
export async function readArchive(
  name: string,
  bytes: AsyncIterable<Uint8Array>,
  close: () => Promise<void> = async () => {},
): Promise<Archive> {
  const reader = new ByteReader(name, bytes)
  const header = headerOf(name, await reader.line())
  const { cluster: id, revision, compacted, trimmed } = header
  return {
    header,
    state: { id, revision, compacted, trimmed },
    changes: blocks(name, reader),
    close: async () => {
      await reader.close()
      await close()
    },
  }
}

async function* blocks(name: string, reader: ByteReader): AsyncGenerator<readonly Change[], void> {
  let rows = 0
  for (;;) {
    const length = (await reader.take(4)).readUInt32BE()
    if (length === 0) break
    if (length > maxBlockBytes) throw damaged(name, reader)
    const changes = decodeBlock(await reader.take(length), () => damaged(name, reader))
    rows += changes.length
    yield changes
  }
  const sum = { bytes: reader.position, sha256: reader.digest() }
  const trailer = parse(await reader.line()) as Partial<ArchiveTrailer> | undefined
  const same =
    trailer?.rows === rows && trailer.bytes === sum.bytes && trailer.sha256 === sum.sha256
  if (!same) {
    throw new Error(`${name}: is damaged: its checksum is not that of what stands in it`)
  }
  if (!(await reader.ended())) throw new Error(`${name}: goes on behind its end`)
}

function decodeBlock(block: Buffer, damage: () => Error): readonly Change[] {
  const changes: Change[] = []
  for (let at = 0; at < block.length; ) {
    if (at + rowHeadBytes > block.length) throw damage()
    const keyBytes = block.readUInt32BE(at + 24)
    const valueBytes = block.readUInt32BE(at + 28)
    const keyAt = at + rowHeadBytes
    const valueAt = keyAt + keyBytes
    const end = valueAt + Math.max(valueBytes - 1, 0)
    if (end > block.length) throw damage()
    changes.push({
      revision: block.readDoubleBE(at),
      previousRevision: block.readDoubleBE(at + 8),
      createRevision: block.readDoubleBE(at + 16),
      key: block.toString('utf8', keyAt, valueAt),
      value: valueBytes === 0 ? undefined : block.subarray(valueAt, end),
    })
    at = end
  }
  return changes
}

function headerOf(name: string, line: Buffer | undefined): ArchiveHeader {
  const header = parse(line) as Partial<ArchiveHeader> | undefined
  if (header?.format !== 'orch-store' || !Number.isInteger(header.version)) {
    throw new Error(`${name}: is no archive of a store: orch store export and backup make them`)
  }
  if (Number(header.version) > archiveVersion) {
    throw new Error(
      `${name}: has format ${header.version}, this program reads up to ${archiveVersion}: use a later orch`,
    )
  }
  const { cluster, revision, compacted, trimmed } = header
  const sound =
    typeof cluster === 'string' &&
    [revision, compacted, trimmed].every(isRevision) &&
    Number(trimmed) <= Number(compacted) &&
    Number(compacted) <= Number(revision)
  if (!sound) throw new Error(`${name}: its header contradicts itself`)
  return header as ArchiveHeader
}

function isRevision(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function parse(line: Buffer | undefined): unknown {
  try {
    const value: unknown = JSON.parse(line?.toString() ?? '')
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function damaged(name: string, reader: ByteReader): Error {
  return new Error(`${name}: is damaged before byte ${reader.position}`)
}

/** Takes a stream of chunks in pieces of other lengths, and keeps the checksum of what was taken. */
class ByteReader {
  readonly #name: string
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #hash: Hash = createHash('sha256')
  #rest: Buffer = Buffer.alloc(0)
  #position = 0
  #received = 0

  constructor(name: string, bytes: AsyncIterable<Uint8Array>) {
    this.#name = name
    this.#chunks = bytes[Symbol.asyncIterator]()
  }

  /** How many bytes were taken. */
  get position(): number {
    return this.#position
  }

  /** The checksum of everything that was taken so far. */
  digest(): string {
    return this.#hash.copy().digest('hex')
  }

  /** @throws Error if there are fewer. */
  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let missing = length; missing > 0; ) {
      if (this.#rest.length === 0 && !(await this.#more())) throw this.#early()
      const part = this.#rest.subarray(0, missing)
      this.#rest = this.#rest.subarray(part.length)
      missing -= part.length
      parts.push(part)
    }
    return this.#taken(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, length))
  }

  /** The bytes before the next line feed, which is taken, too; undefined where there is none nearby. */
  async line(): Promise<Buffer | undefined> {
    let end = this.#rest.indexOf(lineFeed)
    while (end < 0 && this.#rest.length < maxLineBytes) {
      const before = this.#rest
      this.#rest = Buffer.alloc(0)
      const more = await this.#more()
      this.#rest = Buffer.concat([before, this.#rest])
      if (!more) break
      end = this.#rest.indexOf(lineFeed)
    }
    if (end < 0) {
      if (this.#position > 0) throw this.#early()
      return undefined
    }
    const line = this.#taken(this.#rest.subarray(0, end + 1))
    this.#rest = this.#rest.subarray(end + 1)
    return line
  }

  /** True if nothing follows. */
  async ended(): Promise<boolean> {
    return this.#rest.length === 0 && !(await this.#more())
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  async #more(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next()
      if (done) return false
      this.#received += value.byteLength
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    }
    return true
  }

  #taken(bytes: Buffer): Buffer {
    this.#hash.update(bytes)
    this.#position += bytes.length
    return bytes
  }

  #early(): Error {
    return new Error(`${this.#name}: ends early, after ${this.#received} bytes: it is not whole`)
  }
}

const lineFeed = 0x0a
