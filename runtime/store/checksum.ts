import { crc32 } from 'node:zlib'

/** The checksum of a value under its key: what a disk or a foreign hand changed does not have it. */
export function checksumOf(key: string, value: Uint8Array): number {
  const seed = crc32(key)
  return value.length === 0 ? seed : crc32(value, seed)
}
