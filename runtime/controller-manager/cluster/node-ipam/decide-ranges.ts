import type { Node } from '../../../../generated/apis/core/v1/node.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { parseRange } from '../../../kernel/values/ip-ranges.ts'
import { type Parts, type Pool, partsIn, partText } from './node-pools.ts'

/** What nodes are given. */
export interface RangePlan {
  /** Nodes without ranges, and one of each pool for each of them. */
  readonly given: readonly {
    readonly node: Stored<Node>
    readonly ranges: readonly string[]
    /** How many parts of each pool were looked at in vain before. */
    readonly tries: readonly number[]
  }[]
  /** How many parts of each pool nodes have, what they are given now aside. */
  readonly used: readonly number[]
  /** Nodes for which a pool has nothing left. */
  readonly without: readonly Stored<Node>[]
  /** Nodes with a range that is of no pool. */
  readonly outside: readonly { readonly node: Stored<Node>; readonly range: string }[]
  /** Where each pool is looked at first the next time: a part that was given back rests as long as may be. */
  readonly next: readonly number[]
}

/** The ranges of nodes that have none, in the order in which the nodes came. What nodes have they keep. */
export function decideRanges(
  nodes: readonly Stored<Node>[],
  pools: readonly Pool[],
  next: readonly number[],
): RangePlan {
  const having = nodes.filter(hasRanges)
  const users = pools.map((pool, index) => new PoolUse(pool, next[index] ?? 0, having))
  const used = users.map((user) => user.count)
  const given: RangePlan['given'][number][] = []
  const without: Stored<Node>[] = []
  for (const node of nodes.filter((one) => !hasRanges(one)).sort(byAge)) {
    if (node.metadata.deletionTimestamp !== undefined) continue
    if (users.every((user) => user.free !== undefined)) {
      const tries = users.map((user) => user.tries)
      given.push({ node, ranges: users.map((user) => user.take()), tries })
    } else without.push(node)
  }
  const outside = having.flatMap((node) =>
    (node.spec?.podCIDRs ?? [])
      .filter((text) => !isOfPools(text, pools))
      .map((range) => ({ node, range })),
  )
  return { given, used, without, outside, next: users.map((user) => user.next) }
}

/** True for a node that has ranges already. */
export function hasRanges({ spec }: Node): boolean {
  return (spec?.podCIDRs?.length ?? 0) > 0
}

/** Which parts of a pool are taken. */
class PoolUse {
  next: number
  /** How many parts were looked at in vain to find the one that is free. */
  tries = 0
  readonly #pool: Pool
  readonly #single = new Set<number>()
  readonly #wide: Parts[]
  #free: number | undefined
  #isLookedFor = false

  constructor(pool: Pool, next: number, nodes: readonly Stored<Node>[]) {
    this.#pool = pool
    this.next = next % pool.size
    this.#wide = [...pool.reserved]
    for (const { spec } of nodes) for (const text of spec?.podCIDRs ?? []) this.#occupy(text)
  }

  /** The part that is taken next; undefined if all are taken. It is looked for once. */
  get free(): number | undefined {
    if (!this.#isLookedFor) this.#free = this.#search()
    this.#isLookedFor = true
    return this.#free
  }

  /** How many parts nodes have. */
  get count(): number {
    const wide = this.#wide.slice(this.#pool.reserved.length)
    const parts = wide.reduce((sum, { first, last }) => sum + last - first + 1, 0)
    return this.#single.size + parts
  }

  /** Takes the part that is free. */
  take(): string {
    const part = this.free ?? 0
    this.#single.add(part)
    this.next = (part + 1) % this.#pool.size
    this.#isLookedFor = false
    return partText(this.#pool, part)
  }

  #search(): number | undefined {
    const { size } = this.#pool
    for (let tried = 0; tried < size; tried++) {
      const part = (this.next + tried) % size
      this.tries = tried
      if (!this.#isTaken(part)) return part
    }
    return undefined
  }

  #occupy(text: string): void {
    const range = parseRange(text)
    const parts = range && partsIn(this.#pool, range)
    if (parts === undefined) return
    if (parts.first === parts.last) this.#single.add(parts.first)
    else this.#wide.push(parts)
  }

  #isTaken(part: number): boolean {
    return (
      this.#single.has(part) || this.#wide.some(({ first, last }) => first <= part && part <= last)
    )
  }
}

/** True for a node with a range that is of no pool. */
export function isOutside({ spec }: Node, pools: readonly Pool[]): boolean {
  return spec?.podCIDRs?.some((text) => !isOfPools(text, pools)) === true
}

function isOfPools(text: string, pools: readonly Pool[]): boolean {
  const range = parseRange(text)
  return range !== undefined && pools.some((pool) => partsIn(pool, range) !== undefined)
}

function byAge({ metadata: one }: Stored<Node>, { metadata: other }: Stored<Node>): number {
  const [a, b] = [one, other].map(({ creationTimestamp, name }) => `${creationTimestamp} ${name}`)
  return a === b ? 0 : (a as string) < (b as string) ? -1 : 1
}
