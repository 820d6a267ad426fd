/** IP addresses and ranges in CIDR form. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A range of addresses of one family; `first` is its lowest address as a number. */
export interface Range {
  readonly family: 4 | 6
  readonly first: bigint
  readonly bits: number
}

/** The range that `192.0.2.0/24` or `2001:db8::/64` means; undefined for text that means none. */
export function parseRange(text: string): Range | undefined {
  const [address = '', bits = '', ...rest] = text.split('/')
  const family = familyOf(address)
  if (family === undefined || rest.length > 0) return undefined
  if (!/^(0|[1-9][0-9]{0,2})$/.test(bits) || Number(bits) > widthOf(family)) return undefined
  const host = BigInt(widthOf(family) - Number(bits))
  return { family, first: (numberOf(address) >> host) << host, bits: Number(bits) }
}

/** True if every address of `inner` is one of `outer`, and there are others. */
export function isStrictlyInside(inner: Range, outer: Range): boolean {
  if (inner.family !== outer.family || inner.bits <= outer.bits) return false
  const host = BigInt(widthOf(outer.family) - outer.bits)
  return inner.first >> host === outer.first >> host
}

/** The address as the platform writes it: lower case, zeros shortened. Undefined for text that is no address. */
export function canonicalAddress(text: string): string | undefined {
  return familyOf(text) === undefined ? undefined : ipaddr.parse(withoutZeros(text)).toString()
}

/** The same of an address that others reach something by: one of version 4 in the form of version 6 is one of version 4. */
export function plainAddress(text: string): string | undefined {
  return familyOf(text) === undefined ? undefined : ipaddr.process(withoutZeros(text)).toString()
}

/** What is wrong with a text that should be an address of either family. */
export function addressProblems(text: string): readonly string[] {
  if (familyOf(text) !== undefined) return []
  return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']
}

/** What is wrong with a text that should be a range of addresses. */
export function rangeProblems(text: string): readonly string[] {
  if (parseRange(text) !== undefined) return []
  return ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)']
}

/** The lowest address of a range and those after it, as the platform writes them. */
export function addressAt({ family, first }: Range, offset: number): string {
  const digits = (first + BigInt(offset)).toString(16).padStart(widthOf(family) / 4, '0')
  return ipaddr.fromByteArray([...Buffer.from(digits, 'hex')]).toString()
}

/** How far behind the beginning of a range an address lies; undefined for one outside of it. */
export function offsetIn({ family, first, bits }: Range, address: string): bigint | undefined {
  if (familyOf(address) !== family) return undefined
  const offset = numberOf(address) - first
  const size = 1n << BigInt(widthOf(family) - bits)
  return offset >= 0n && offset < size ? offset : undefined
}

/** The family of an address; undefined for text that is none. Zeros in front of a decimal number count for nothing. */
export function familyOf(address: string): 4 | 6 | undefined {
  const family = address.includes('%') ? 0 : isIP(withoutZeros(address))
  return family === 4 || family === 6 ? family : undefined
}

/** An address without zeros in front of its decimal numbers: an octet is one, a group of version 6 is none. */
function withoutZeros(text: string): string {
  if (!text.includes('.') || isIP(text) !== 0) return text
  const groups = text.slice(0, text.lastIndexOf(':') + 1)
  return groups + text.slice(groups.length).split('.').map(withoutZerosInFront).join('.')
}

function withoutZerosInFront(octet: string): string {
  let zeros = 0
  while (zeros < octet.length - 1 && octet[zeros] === '0') zeros++
  return octet.slice(zeros)
}

function widthOf(family: 4 | 6): number {
  return family === 4 ? 32 : 128
}

function numberOf(address: string): bigint {
  return BigInt(
    `0x${Buffer.from(ipaddr.parse(withoutZeros(address)).toByteArray()).toString('hex')}`,
  )
}
