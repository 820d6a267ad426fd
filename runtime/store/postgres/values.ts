import { isUtf8 } from 'node:buffer'
import { checksumOf } from '../checksum.ts'
import type { Row } from '../sql/statement.ts'

/** Where a row of the log has its value. */
export const valueColumns = ['value', 'bytes', 'sum'] as const

/** The id of a store: 32 digits, as files have it. */
export const storeId = "replace(store::text, '-', '')"

/** True for a value that the database can keep as text, and that comes back from it as it was. */
export function isText(value: Uint8Array): boolean {
  return isUtf8(value) && value.indexOf(0) === -1
}

/** The value of a row as it was written. */
export function decodeValue({ key, rev, value, bytes, sum }: Row): Uint8Array {
  const decoded = typeof value === 'string' ? Buffer.from(value) : bytes
  if (!(decoded instanceof Uint8Array)) throw damaged(key, rev)
  if (Number(sum) !== checksumOf(String(key), decoded)) throw damaged(key, rev)
  return decoded
}

function damaged(key: unknown, rev: unknown): Error {
  return new Error(
    `the database is damaged: the value of ${key} at revision ${rev} is not what was written; restore it from a copy`,
  )
}
