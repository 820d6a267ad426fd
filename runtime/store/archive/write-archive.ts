import { createHash } from 'node:crypto'
import type { StoreDump } from '../dump.ts'
import type { Change } from '../log-store.ts'
import { type ArchiveTrailer, headerOf, rowHeadBytes } from './format.ts'

/** Bytes that a block holds before the next one begins. */
const blockBytes = 1024 * 1024

/** The bytes of a store's archive. `made` is the time that its header says. */
export async function* writeArchive(dump: StoreDump, made: string): AsyncGenerator<Buffer, void> {
  const hash = createHash('sha256')
  let [rows, bytes] = [0, 0]
  const counted = (chunk: Buffer): Buffer => {
    hash.update(chunk)
    bytes += chunk.length
    return chunk
  }
  yield counted(lineOf(headerOf(dump.state, made)))
  for await (const changes of dump.changes) {
    for (const block of blocksOf(changes)) {
      rows += block.length
      yield counted(encodeBlock(block))
    }
  }
  yield counted(Buffer.alloc(4))
  const trailer: ArchiveTrailer = { rows, bytes, sha256: hash.digest('hex') }
  yield lineOf(trailer)
}

function lineOf(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`)
}

function* blocksOf(changes: readonly Change[]): Generator<readonly Change[]> {
  let [from, bytes] = [0, 0]
  for (let at = 0; at < changes.length; at++) {
    bytes += changes[at]?.value?.byteLength ?? 0
    if (bytes < blockBytes) continue
    yield changes.slice(from, at + 1)
    from = at + 1
    bytes = 0
  }
  if (from < changes.length) yield changes.slice(from)
}

function encodeBlock(changes: readonly Change[]): Buffer {
  const keys = changes.map(({ key }) => Buffer.from(key))
  const length = changes.reduce(
    (sum, { value }, at) => sum + rowHeadBytes + (keys[at]?.length ?? 0) + (value?.byteLength ?? 0),
    0,
  )
  const block = Buffer.allocUnsafe(4 + length)
  let at = block.writeUInt32BE(length, 0)
  changes.forEach(({ revision, previousRevision, createRevision, value }, index) => {
    const key = keys[index] as Buffer
    at = block.writeDoubleBE(revision, at)
    at = block.writeDoubleBE(previousRevision, at)
    at = block.writeDoubleBE(createRevision, at)
    at = block.writeUInt32BE(key.length, at)
    at = block.writeUInt32BE(value === undefined ? 0 : value.byteLength + 1, at)
    block.set(key, at)
    at += key.length
    if (value === undefined) return
    block.set(value, at)
    at += value.byteLength
  })
  return block
}
