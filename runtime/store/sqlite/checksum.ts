import { crc32 } from 'node:zlib'

/** The checksum of a value under its key: what a disk or a foreign hand changed does not have it. */
export function checksumOf(key: string, value: Uint8Array): number {
  return crc32(value, crc32(key))
}
