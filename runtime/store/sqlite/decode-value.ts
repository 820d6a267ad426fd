import { checksumOf } from '../checksum.ts'
import type { Row } from '../sql/statement.ts'
import { damaged } from './damage.ts'

/**
 * The value of a row as it was written. Rows of a store's first format have no checksum; what has no value either is not in the log,
 * and a value without bytes may come as none.
 */
export function decodeValue({ key, rev, value, sum }: Row): Uint8Array {
  if (sum === null && value === null) {
    throw damaged(`the value of ${key} at revision ${rev} is gone`)
  }
  const bytes = value instanceof Uint8Array ? value : new Uint8Array()
  if (sum !== null && sum !== checksumOf(String(key), bytes)) {
    throw damaged(`the value of ${key} at revision ${rev} is not what was written`)
  }
  return bytes
}
