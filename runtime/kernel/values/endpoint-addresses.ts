/** Which IP addresses can stand for an endpoint. */
import ipaddr from 'ipaddr.js'
import { familyOf, plainAddress } from './ip-ranges.ts'

const notAnAddress = 'must be a valid IP address'

type Range = readonly [address: string, bits: number]

interface Special {
  readonly problem: string
  readonly v4: Range
  readonly v6: Range
}

const special: readonly Special[] = [
  {
    problem: 'may not be unspecified (0.0.0.0 or ::)',
    v4: ['0.0.0.0', 32],
    v6: ['::', 128],
  },
  {
    problem: 'may not be in the loopback range (127.0.0.0/8, ::1/128)',
    v4: ['127.0.0.0', 8],
    v6: ['::1', 128],
  },
  {
    problem: 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    v4: ['169.254.0.0', 16],
    v6: ['fe80::', 10],
  },
  {
    problem: 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
    v4: ['224.0.0.0', 24],
    v6: ['ff02::', 10],
  },
]

/** Their first addresses are read when the first address is compared: no program waits for it at its start. */
const firstBytes = new Map<string, readonly number[]>()

/** The bytes of an address; an IPv4 address that is written as IPv6 has four. */
function bytesOf(address: string): readonly number[] {
  return ipaddr.process(plainAddress(address) ?? address).toByteArray()
}

function isWithin(bytes: readonly number[], [address, bits]: Range): boolean {
  const start = firstBytes.get(address) ?? bytesOf(address)
  firstBytes.set(address, start)
  return start.every((byte, at) => {
    const shift = 8 - Math.min(8, Math.max(0, bits - at * 8))
    return byte >> shift === (bytes[at] ?? 0) >> shift
  })
}

/** What is wrong with the address of an endpoint: those with a meaning of their own are none. What is no address is told of twice. */
export function endpointAddressProblems(address: string): readonly string[] {
  if (familyOf(address) === undefined)
    return [`${notAnAddress}, (e.g. 10.9.8.7 or 2001:db8::ffff)`, notAnAddress]
  const bytes = bytesOf(address)
  const found = special.find(({ v4, v6 }) => isWithin(bytes, bytes.length === 4 ? v4 : v6))
  return found === undefined ? [] : [found.problem]
}

/** Why the API cannot be found at an address, by the flag that is to blame; nothing where none is given. */
export function advertiseProblems(address = ''): readonly string[] {
  if (address === '') return []
  return endpointAddressProblems(address)
    .slice(0, 1)
    .map((why) => `--advertise-address ${address}: ${why}`)
}
