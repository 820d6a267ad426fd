import { randomBytes } from 'node:crypto'

/** The number of a new certificate: positive, and never zero. */
export function serialNumber(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes.toString('hex')
}
