/** Ranges of values of which every object of the cluster may hold some, and no two the same one. */
import { isIP } from 'node:net'
import type { Random } from '../../../kernel/async/clock.ts'
import {
  addressAt,
  offsetIn,
  parseRange,
  plainAddress,
  type Range,
} from '../../../kernel/values/ip-ranges.ts'
import type { Pool, Pools } from '../../strategy/allocator.ts'

/** A family of IP addresses. */
export type Family = 'IPv4' | 'IPv6'
/** The pool of node ports. */
export const nodePorts = 'nodePorts'

/** The ranges that services live on. */
export interface ServiceRanges {
  /** One range in CIDR form, or one of each family; the first is that of services which name no family. */
  readonly addresses: readonly string[]
  /** `30000-32767`. */
  readonly nodePorts: string
}

/** The ranges of a server that was given none. */
export const defaultServiceRanges: ServiceRanges = {
  addresses: ['10.0.0.0/24'],
  nodePorts: '30000-32767',
}

/** The pools of the ranges. Only for ranges without problems. */
export function servicePools(ranges: ServiceRanges): Pools {
  const addresses = ranges.addresses.flatMap((text) => {
    const range = parseRange(text)
    return range === undefined ? [] : [[familyName(range), addressPool(range)] as const]
  })
  const ports = parsePorts(ranges.nodePorts)
  return new Map<string, Pool>([
    ...addresses,
    ...(ports === undefined ? [] : [[nodePorts, portPool(ports)] as const]),
  ])
}

/** Pools of a cluster whose ranges are not known: every address of either family and every port may be one of theirs. */
export function unknownServicePools(): Pools {
  const pool = (first: string): Pool => ({
    takenMessage: 'provided value is already allocated',
    canonicalize: (given) => ({ value: plainAddress(given) ?? given }),
    candidates: () => [first],
  })
  return new Map<string, Pool>([
    ['IPv4', pool('10.0.0.1')],
    ['IPv6', pool('fd00::1')],
    [nodePorts, pool('30000')],
  ])
}

/** The families that a cluster has addresses of, the default one first. */
export function familiesOf(pools: Pools): readonly Family[] {
  return [...pools.keys()].filter((name) => name === 'IPv4' || name === 'IPv6')
}

/** The family of an address; IPv4 for text that is none. */
export function addressFamily(text: string): Family {
  return isIP(plainAddress(text) ?? text) === 6 ? 'IPv6' : 'IPv4'
}

/** The address that the cluster's own API is found at: the first one. */
export function firstAddress({ addresses: [text = ''] }: ServiceRanges): string | undefined {
  const range = parseRange(text)
  return range && addressAt(range, 1)
}

/**
 * Why services cannot live on these ranges, by the flag that is to blame.
 * A text that is no CIDR stands alone: the other rules need ranges that can be read.
 */
export function rangeProblems({ addresses, nodePorts: ports }: ServiceRanges): readonly string[] {
  const flag = '--service-cluster-ip-range'
  const ranges = addresses.map(parseRange)
  const families = new Set(ranges.map((range) => range?.family))
  const distinct = families.size === addresses.length
  const bad = addresses.filter((_, at) => ranges[at] === undefined)
  if (bad.length > 0) return bad.map((text) => `${flag}: ${JSON.stringify(text)} is not a CIDR`)
  return [
    ...(addresses.length === 0 ? [`${flag} must name a range`] : []),
    ...(addresses.length > 2 || !distinct
      ? [`${flag} must hold one range, or one of each address family`]
      : []),
    ...ranges.flatMap((range) => (range === undefined ? [] : sizeProblems(flag, range))),
    ...(parsePorts(ports) === undefined
      ? [`--service-node-port-range: ${JSON.stringify(ports)} is not a range such as 30000-32767`]
      : []),
  ]
}

/** Bits of the largest range, and of the smallest. */
const mostBits = 20
const fewestBits = 3

/** At most 2^20 addresses, and at least eight, in either family. */
function sizeProblems(flag: string, { family, bits }: Range): readonly string[] {
  const width = family === 4 ? 32 : 128
  if (width - bits > mostBits) {
    const why = `for ${width}-bit addresses, the mask must be >= ${width - mostBits}`
    return [`specified ${flag} is too large; ${why}`]
  }
  return width - bits < fewestBits
    ? [`${flag} must hold at least ${1 << fewestBits} addresses`]
    : []
}

function familyName({ family }: Range): Family {
  return family === 4 ? 'IPv4' : 'IPv6'
}

/**
 * The first and, for IPv4, the last address are never given. An address outside has the problem
 * with the text of the client, in whatever form it was written.
 */
function addressPool(range: Range): Pool {
  const size = 1 << ((range.family === 4 ? 32 : 128) - range.bits)
  /** Neither the address of the network nor, where there is one, its broadcast address. */
  const last = range.family === 4 ? size - 2 : size - 1
  const text = `${addressAt(range, 0)}/${range.bits}`
  return {
    takenMessage: 'provided IP is already allocated',
    canonicalize(given) {
      const value = plainAddress(given) ?? given
      const offset = Number(offsetIn(range, value) ?? 0n)
      if (offset >= 1 && offset <= last) return { value }
      const where = `is not in the valid range. The range of valid IPs is ${text}`
      return { problem: `the provided IP (${value}) ${where}` }
    },
    *candidates(random) {
      const kept = reservedBandSize(last, 256, 16)
      for (const offset of shuffled(last, kept, random)) yield addressAt(range, offset + 1)
    },
  }
}

interface PortRange {
  readonly first: number
  readonly last: number
}

/** Ports of all protocols share one range: a number is taken once for the whole cluster. */
function portPool({ first, last }: PortRange): Pool {
  return {
    takenMessage: 'provided port is already allocated',
    canonicalize(value) {
      const port = Number(value)
      if (port >= first && port <= last) return { value }
      const where = `The range of valid ports is ${first}-${last}`
      return { problem: `provided port is not in the valid range. ${where}` }
    },
    *candidates(random) {
      const size = last - first + 1
      for (const at of shuffled(size, reservedBandSize(size, 128, 32), random))
        yield String(first + at)
    },
  }
}

/**
 * `30000-32767`, `30000+100` or one port.
 * Undefined if the text is of no such form or the ports are not between 1 and 65535. A size counts
 * from the first port, so `30000+100` has 101 ports.
 */
function parsePorts(text: string): PortRange | undefined {
  const [, from, sign, to] = /^([0-9]{1,5})(?:([-+])([0-9]{1,5}))?$/.exec(text) ?? []
  if (from === undefined) return undefined
  const first = Number(from)
  const last = sign === undefined ? first : sign === '+' ? first + Number(to) : Number(to)
  return first >= 1 && last <= 65535 && first <= last ? { first, last } : undefined
}

/**
 * How many values at the beginning of a range are kept for those who ask for one by itself.
 * A part of the range (one in `step`), at least 16 and at most `most`; none where the range has no
 * more than 16. So a client that chooses a low value seldom meets one that was given at random.
 */
function reservedBandSize(size: number, most: number, step: number): number {
  const fewest = 16
  return size <= fewest ? 0 : Math.min(most, Math.max(fewest, Math.floor(size / step)))
}

/** The numbers from `kept` on, beginning at a random one, then those below, in the same way. */
function* shuffled(size: number, kept: number, random: Random): Iterable<number> {
  for (const [from, count] of [
    [kept, size - kept],
    [0, kept],
  ] as const) {
    const start = Math.floor(random() * count)
    for (let step = 0; step < count; step++) yield from + ((start + step) % count)
  }
}
