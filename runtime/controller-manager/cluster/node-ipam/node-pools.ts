/** The ranges of a cluster's addresses of which each node gets a part, and what is wrong with settings of them. */
import type { OrchControllerManagerConfiguration } from '../../../../generated/config/manager/v1alpha1.ts'
import { addressAt, parseRange, type Range } from '../../../kernel/values/ip-ranges.ts'

/** A range of the cluster, cut into parts of equal size, which are counted from 0. */
export interface Pool {
  readonly range: Range
  /** The range as text. */
  readonly text: string
  /** Bits of the prefix of each part. */
  readonly bits: number
  /** How many parts there are. */
  readonly size: number
  /** Parts that no node gets, since services have them. */
  readonly reserved: readonly Parts[]
}

/** Parts of a pool, the first and the last one of them. */
export interface Parts {
  readonly first: number
  readonly last: number
}

/** Pools, or why there cannot be any. */
export interface NodePools {
  readonly pools: readonly Pool[]
  readonly problems: readonly string[]
}

type Configuration = Pick<
  OrchControllerManagerConfiguration,
  'OrchCloudShared' | 'NodeIPAMController'
>

/** How many bits a part of an IPv6 range may have more than the range: the parts are counted one by one. */
const mostBits = 16

/** The only allocator that needs no cloud provider. */
const rangeAllocator = 'RangeAllocator'

/** What nodes get their ranges from. None where none are to be given. */
export function nodePools({ OrchCloudShared, NodeIPAMController: own }: Configuration): NodePools {
  if (!OrchCloudShared.AllocateNodeCIDRs) return { pools: [], problems: [] }
  const { CIDRAllocatorType: allocator, ClusterCIDR } = OrchCloudShared
  if (allocator !== rangeAllocator) {
    const known = ['CloudAllocator', 'IPAMFromCluster', 'IPAMFromCloud'].includes(allocator)
    const why = known ? 'there is no cloud provider' : `must be ${rangeAllocator}`
    return { pools: [], problems: [`--cidr-allocator-type ${allocator}: ${why}`] }
  }
  const wrong = wordsOf(ClusterCIDR).filter((word) => parseRange(word) === undefined)
  if (wrong.length > 0) {
    const why = 'is no range of addresses, which looks like 10.244.0.0/16'
    return { pools: [], problems: wrong.map((word) => `--cluster-cidr ${word}: ${why}`) }
  }
  const ranges = rangesOf(ClusterCIDR)
  if (ranges.length === 0) {
    return { pools: [], problems: ['--cluster-cidr: must be set with --allocate-node-cidrs'] }
  }
  const services = [own.ServiceCIDR, own.SecondaryServiceCIDR].flatMap(rangesOf)
  const problems = [...maskProblems(ranges, own), ...serviceProblems(services)]
  const pools = ranges.map(({ range, text }) => {
    const pool = { range, text, bits: bitsOf(range, ranges.length, own), size: 0, reserved: [] }
    problems.push(...poolProblems(pool))
    const whole = { ...pool, size: 2 ** (pool.bits - range.bits) }
    return {
      ...whole,
      reserved: services.flatMap((service) => partsIn(whole, service.range) ?? []),
    }
  })
  return { pools: problems.length === 0 ? pools : [], problems }
}

interface NamedRange {
  readonly range: Range
  readonly text: string
}

function wordsOf(list: string): readonly string[] {
  const words = list.split(',').map((word) => word.trim())
  return words.filter((word) => word !== '')
}

function rangesOf(list: string): readonly NamedRange[] {
  return wordsOf(list).flatMap((word) => {
    const range = parseRange(word)
    return range === undefined ? [] : [{ range, text: textOf(range) }]
  })
}

function textOf(range: Range): string {
  return `${addressAt(range, 0)}/${range.bits}`
}

function bitsOf(
  { family }: Range,
  families: number,
  own: Configuration['NodeIPAMController'],
): number {
  const { NodeCIDRMaskSize, NodeCIDRMaskSizeIPv4, NodeCIDRMaskSizeIPv6 } = own
  if (families === 1 && NodeCIDRMaskSize !== 0) return NodeCIDRMaskSize
  return family === 4 ? NodeCIDRMaskSizeIPv4 || 24 : NodeCIDRMaskSizeIPv6 || 64
}

/** Masks that are for another family than the cluster has. */
function maskProblems(
  ranges: readonly NamedRange[],
  own: Configuration['NodeIPAMController'],
): string[] {
  if (ranges.length > 1) {
    return own.NodeCIDRMaskSize === 0
      ? []
      : ['--node-cidr-mask-size: is for clusters of one family: set one for each family']
  }
  const family = ranges[0]?.range.family
  const other = family === 4 ? own.NodeCIDRMaskSizeIPv6 : own.NodeCIDRMaskSizeIPv4
  if (other === 0) return []
  return [
    `--node-cidr-mask-size-ipv${family === 4 ? 6 : 4}: the cluster has no range of IPv${family === 4 ? 6 : 4}`,
  ]
}

function serviceProblems(services: readonly NamedRange[]): readonly string[] {
  const [one, other, ...rest] = services.map(({ range }) => range.family)
  if (other === undefined || (one !== other && rest.length === 0)) return []
  const texts = services.map(({ text }) => text).join(', ')
  return [`--service-cluster-ip-range ${texts}: must be one range, or one of each family`]
}

function poolProblems({
  range,
  text,
  bits,
}: Pick<Pool, 'range' | 'text' | 'bits'>): readonly string[] {
  const width = widthOf(range)
  if (bits < range.bits)
    return [`--cluster-cidr ${text}: is smaller than the range of a node, /${bits}`]
  if (bits > width)
    return [`--cluster-cidr ${text}: the range of a node, /${bits}, has more than ${width} bits`]
  if (range.family === 4 || bits - range.bits <= mostBits) return []
  return [
    `--cluster-cidr ${text}: has more than 65536 ranges of a node, /${bits}: make either smaller`,
  ]
}

function widthOf({ family }: Range): number {
  return family === 4 ? 32 : 128
}

/** The range of a part. */
export function partText({ range, bits }: Pool, part: number): string {
  const first = range.first + (BigInt(part) << BigInt(widthOf(range) - bits))
  return textOf({ ...range, first, bits })
}

/** The parts of a pool of which a range has addresses; undefined if there are none. */
export function partsIn({ range, bits, size }: Pool, other: Range): Parts | undefined {
  if (other.family !== range.family) return undefined
  const lastOf = (one: Range) => one.first + (1n << BigInt(widthOf(one) - one.bits)) - 1n
  if (other.first > lastOf(range) || lastOf(other) < range.first) return undefined
  const partOf = (address: bigint) =>
    Number((address - range.first) >> BigInt(widthOf(range) - bits))
  if (other.bits <= range.bits) return { first: 0, last: size - 1 }
  return { first: partOf(other.first), last: partOf(lastOf(other)) }
}
