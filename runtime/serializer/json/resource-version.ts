import { invariant } from '../../kernel/errors/invariant.ts'

const metadata = Buffer.from('"metadata":{')
const uid = Buffer.from(',"uid":"')
const versionText = ',"resourceVersion":"'
const version = Buffer.from(versionText)
const quote = 0x22

/**
 * Stamps `metadata.resourceVersion` into the canonical JSON of a stored object, behind the uid; bytes that have one come
 * back as they are. Nothing is parsed: a quote inside a JSON string is escaped, so the byte sequences that are searched for
 * are found nowhere else. The result has memory of its own: it lives long, and would keep all that shares a pool with it.
 */
export function withResourceVersion(
  value: Uint8Array,
  revision: number,
  allocate: (bytes: number) => Buffer = Buffer.allocUnsafeSlow,
): Uint8Array {
  const bytes = viewOf(value)
  const at = endOfUid(bytes)
  if (isVersionAt(bytes, at)) return value
  const inserted = `${versionText}${revision}"`
  const result = allocate(bytes.length + inserted.length)
  // Copies of parts would make a view of each: a start with many objects spends most of its time here.
  result.set(bytes, inserted.length)
  result.copyWithin(0, inserted.length, inserted.length + at)
  result.write(inserted, at, 'latin1')
  return result
}

/** The canonical JSON of an object without its resourceVersion: what the store keeps and no-op updates are compared by. */
export function withoutResourceVersion(value: Uint8Array): Uint8Array {
  const bytes = viewOf(value)
  const at = endOfUid(bytes)
  if (!isVersionAt(bytes, at)) return value
  const end = bytes.indexOf(quote, at + version.length) + 1
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)])
}

/** The offset behind the closing quote of `metadata.uid`. Every stored object has a uid, and `name` stands before it. */
function endOfUid(bytes: Buffer): number {
  const from = bytes.indexOf(metadata)
  const at = bytes.indexOf(uid, from)
  invariant(from >= 0 && at >= 0, 'a stored object has metadata.name and metadata.uid')
  return bytes.indexOf(quote, at + uid.length) + 1
}

/** True if the resourceVersion begins there. */
function isVersionAt(bytes: Buffer, at: number): boolean {
  for (let index = 0; index < version.length; index++) {
    if (bytes[at + index] !== version[index]) return false
  }
  return true
}

/** The same memory as a Buffer, whose search and copy are native. */
function viewOf(value: Uint8Array): Buffer {
  if (value instanceof Buffer) return value
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}
