import { checksumOf } from '../checksum.ts'
import type { Row } from '../sql/statement.ts'
import { damaged } from './damage.ts'

/** The value of a row as it was written. Rows of a store's first format have no checksum. */
export function decodeValue({ key, rev, value, sum }: Row): Uint8Array {
  const bytes = value instanceof Uint8Array ? value : new Uint8Array()
  if (sum !== null && sum !== checksumOf(String(key), bytes)) {
    throw damaged(`the value of ${key} at revision ${rev} is not what was written`)
  }
  return bytes
}
