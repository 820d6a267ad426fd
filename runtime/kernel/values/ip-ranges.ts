/** IP addresses and ranges in CIDR form. */
import { isIP } from 'node:net'

/** A range of addresses of one family; `first` is its lowest address as a number. */
export interface Range {
  readonly family: 4 | 6
  readonly first: bigint
  readonly bits: number
}

/** The range that `192.0.2.0/24` or `2001:db8::/64` means; undefined for text that means none. */
export function parseRange(text: string): Range | undefined {
  const [address = '', bits = '', ...rest] = text.split('/')
  const family = isIP(address)
  const width = family === 4 ? 32 : 128
  if (family === 0 || address.includes('%') || rest.length > 0) return undefined
  if (!/^(0|[1-9][0-9]{0,2})$/.test(bits) || Number(bits) > width) return undefined
  const host = BigInt(width - Number(bits))
  const first = (numberOf(address, family === 4) >> host) << host
  return { family: family === 4 ? 4 : 6, first, bits: Number(bits) }
}

/** True if every address of `inner` is one of `outer`, and there are others. */
export function isStrictlyInside(inner: Range, outer: Range): boolean {
  if (inner.family !== outer.family || inner.bits <= outer.bits) return false
  const host = BigInt((inner.family === 4 ? 32 : 128) - outer.bits)
  return inner.first >> host === outer.first >> host
}

/** The address as the platform writes it: lower case, zeros shortened. Undefined for text that is no address. */
export function canonicalAddress(text: string): string | undefined {
  const family = isIP(text)
  if (family === 0 || text.includes('%')) return undefined
  return family === 4 ? text : new URL(`http://[${text}]`).hostname.slice(1, -1)
}

/** What is wrong with a text that should be an address of either family. */
export function addressProblems(text: string): readonly string[] {
  const fine = isIP(text) !== 0 && !text.includes('%')
  return fine ? [] : ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']
}

/** What is wrong with a text that should be a range of addresses. */
export function rangeProblems(text: string): readonly string[] {
  if (parseRange(text) !== undefined) return []
  return ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)']
}

/** The lowest address of a range and those after it, as the platform writes them. */
export function addressAt({ family, first }: Range, offset: number): string {
  const number = first + BigInt(offset)
  if (family === 4) {
    return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.')
  }
  const groups = [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) =>
    ((number >> shift) & 65535n).toString(16),
  )
  return canonicalAddress(groups.join(':')) ?? ''
}

/** How far behind the beginning of a range an address lies; undefined for one outside of it. */
export function offsetIn({ family, first, bits }: Range, address: string): bigint | undefined {
  if (isIP(address) !== family || address.includes('%')) return undefined
  const offset = numberOf(address, family === 4) - first
  const size = 1n << BigInt((family === 4 ? 32 : 128) - bits)
  return offset >= 0n && offset < size ? offset : undefined
}

function numberOf(address: string, short: boolean): bigint {
  if (short) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const middle = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...middle, ...right].reduce(
    (sum, part) => sum * 65536n + BigInt(`0x${part}`),
    0n,
  )
}
