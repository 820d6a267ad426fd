/** Addresses and names of hosts. Numbers of IPv4 may have leading zeros where release 1.29 lets them. */
import { isIPv6 } from 'node:net'

/** The longest text that can be an address. */
const maxLength = 512

/** An IPv4 address, or an IPv6 address that ends with one. */
export function isIpv4(text: string): boolean {
  if (text.length > maxLength || !text.includes('.')) return false
  return text.includes(':') ? isIpv6WithZeros(text) : isDotted(text)
}

/** An IPv6 address without a zone. */
export function isIpv6(text: string): boolean {
  return text.includes(':') && !text.includes('%') && isIPv6(text)
}

/** An IP address and the length of its prefix. */
export function isCidr(text: string): boolean {
  const slash = text.indexOf('/')
  if (slash < 0 || text.length > maxLength) return false
  const [address, bits] = [text.slice(0, slash), text.slice(slash + 1)]
  if (!/^\d+$/.test(bits)) return false
  if (isDotted(address)) return Number(bits) <= 32
  return isIpv6WithZeros(address) && Number(bits) <= 128
}

function isDotted(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^\d+$/.test(part) && Number(part) <= 255)
}

function isIpv6WithZeros(text: string): boolean {
  const start = text.lastIndexOf(':') + 1
  const last = text.slice(start)
  if (last.includes('.') && !isDotted(last)) return false
  const tail = last.includes('.') ? '0.0.0.0' : last
  return isIpv6(`${text.slice(0, start)}${tail}`.replace(/(^|:)0+(?=[0-9a-fA-F])/g, '$1'))
}

/** Six, eight or twenty bytes in hexadecimal, with colons or hyphens between bytes or dots between pairs of them. */
export function isMac(text: string): boolean {
  return /^[0-9a-f]{2}(?:(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}(?:(?:\1[0-9a-f]{2}){2}|(?:\1[0-9a-f]{2}){14})?)$|^[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}(?:\.[0-9a-f]{4}|(?:\.[0-9a-f]{4}){7})?$/i.test(
    text,
  )
}

const word = 'a-zA-Z0-9\\p{S}\\p{L}'
const hostname = new RegExp(
  `^(?:[${word}](?:-?[${word}]{0,62})?|(?:[${word}](?:[-${word}]{0,61}[${word}])?\\.)+[a-zA-Z\\p{L}]{2,63})$`,
  'u',
)

/** One word, or labels that end with a domain of letters: of any script, 63 bytes each, 255 in all. */
export function isHostname(text: string): boolean {
  if (text.length > 255 || Buffer.byteLength(text) > 255 || !hostname.test(text)) return false
  return text.split('.').every((label) => Buffer.byteLength(label) <= 63)
}
