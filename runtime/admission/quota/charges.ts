import type { ResourceQuota } from '../../../generated/apis/core/v1/resource-quota.ts'
import { equal } from '../../kernel/equal.ts'
import type { AnyKind } from '../../kernel/kind.ts'
import type { ApiObject } from '../../kernel/object.ts'
import { compareQuantities, printQuantity, type Quantity } from '../../kernel/quantity.ts'
import { atOnce, inSlices } from '../../kernel/turns.ts'
import { type Amounts, amountsOf, isPositive, minus, sum, textsOf, whole } from '../amounts.ts'
import type { World } from '../world.ts'
import { counting, limitedNames, only } from './count.ts'

/** Something that is to be charged to a quota. */
export interface Charge {
  readonly amounts: Amounts
  /** The object that it is for, where it is a new one. */
  readonly identity?: string
}

/**
 * The books of all quotas. A charge is written into the status of its quota before its object is stored, so that requests
 * at the same time cannot both have the last of something. Before a charge is refused, and when a quota has changed, the
 * objects themselves are counted: what was charged and is on its way into the store counts too.
 */
export class Charges {
  readonly #world: World
  readonly #kind: AnyKind
  readonly #pending = new Map<string, Set<Charge>>()
  readonly #turns = new Map<string, Promise<void>>()

  constructor(world: World, kind: AnyKind) {
    this.#world = world
    this.#kind = kind
  }

  /** Charges a quota; gives what ends the charge once its outcome is known. `refuse` makes the error. */
  async charge(
    quota: ResourceQuota,
    charge: Charge,
    refuse: (exceeded: string) => Error,
  ): Promise<(stored: boolean) => Promise<void>> {
    const id = quota.metadata.uid ?? ''
    await this.#inTurn(id, async () => {
      if (!isEnough(quota, charge.amounts)) await this.#read(quota)
      await this.#change(quota, (current) => this.#charged(current, charge.amounts, refuse))
      this.#pending.set(id, (this.#pending.get(id) ?? new Set()).add(charge))
    })
    return async (stored) => {
      const pending = this.#pending.get(id)
      pending?.delete(charge)
      if (pending?.size === 0) this.#pending.delete(id)
      if (stored) return
      await this.#inTurn(id, () =>
        this.#change(quota, (current) => this.#refunded(current, charge.amounts)),
      )
    }
  }

  /** Writers of one quota go one after the other, so that what is charged and not yet stored is always known. */
  async #inTurn(id: string, work: () => Promise<void>): Promise<void> {
    const before = this.#turns.get(id)
    const mine = before === undefined ? work() : before.then(work)
    const ended = mine.catch(() => {})
    this.#turns.set(id, ended)
    try {
      await mine
    } finally {
      if (this.#turns.get(id) === ended) this.#turns.delete(id)
    }
  }

  /** Fails as `refuse` says if amounts more in use are more than there may be; charges nothing. */
  async compare(
    quota: ResourceQuota,
    amounts: Amounts,
    refuse: (exceeded: string) => Error,
  ): Promise<void> {
    if (isEnough(quota, amounts)) return
    await this.#read(quota)
    this.#charged(quota, amounts, refuse)
  }

  /** Reads what is to be counted, in turns with other requests, so that counting is adding up. */
  async #read(quota: ResourceQuota): Promise<void> {
    await inSlices(counting(this.#world, quota))
  }

  /** The quota with amounts more in use. Fails as `refuse` says if that is more than there may be. */
  #charged(
    quota: ResourceQuota,
    amounts: Amounts,
    refuse: (exceeded: string) => Error,
  ): ResourceQuota {
    if (isEnough(quota, amounts)) {
      return withUsed(quota, sum(amountsOf(quota.status?.used), amounts))
    }
    const used = this.#count(quota)
    const next = sum(used, amounts)
    const over = exceeded(quota, amounts, next)
    if (over.length === 0) return withUsed(quota, next)
    const limits = amountsOf(quota.spec?.hard)
    throw refuse(
      `exceeded quota: ${quota.metadata.name}, requested: ${printed(amounts, over)}, ` +
        `used: ${printed(used, over)}, limited: ${printed(limits, over)}`,
    )
  }

  /** Writes what is in use by the objects themselves. */
  recount(quota: ResourceQuota): Promise<void> {
    return this.#inTurn(quota.metadata.uid ?? '', async () => {
      await this.#read(quota)
      await this.#change(quota, (current) => withUsed(current, this.#count(current)))
    })
  }

  #count(quota: ResourceQuota): Amounts {
    const pending = [...(this.#pending.get(quota.metadata.uid ?? '') ?? [])]
    const identities = new Set(pending.flatMap(({ identity }) => identity ?? []))
    const stored = atOnce(counting(this.#world, quota, identities))
    return pending
      .map(({ amounts }) => only(amounts, limitedNames(quota)))
      .reduce<Amounts>(sum, stored)
  }

  #refunded(quota: ResourceQuota, amounts: Amounts): ResourceQuota | undefined {
    if (!isCounted(quota)) return undefined
    const left = minus(amountsOf(quota.status?.used), only(amounts, limitedNames(quota)))
    const used = [...left].map(
      ([name, amount]) => [name, isPositive(amount) ? amount : whole(0)] as const,
    )
    return withUsed(quota, new Map(used))
  }

  #change(
    { metadata }: ResourceQuota,
    to: (quota: ResourceQuota) => ResourceQuota | undefined,
  ): Promise<void> {
    const { namespace, name = '', uid } = metadata
    const place = { name, ...(namespace && { namespace }) }
    return this.#world.writer.changeStatus(this.#kind, place, (object: ApiObject) =>
      object.metadata.uid === uid ? to(object as ResourceQuota) : undefined,
    )
  }
}

/** True if there is room for so much more by what the status says is in use. */
function isEnough(quota: ResourceQuota, amounts: Amounts): boolean {
  if (!isCounted(quota)) return false
  return exceeded(quota, amounts, sum(amountsOf(quota.status?.used), amounts)).length === 0
}

/** True if the status is about what the quota limits now. */
function isCounted({ spec, status }: ResourceQuota): boolean {
  const hard = spec?.hard ?? {}
  const used = status?.used ?? {}
  return (
    equal(status?.hard ?? {}, hard) && Object.keys(hard).every((name) => Object.hasOwn(used, name))
  )
}

function withUsed(quota: ResourceQuota, used: Amounts): ResourceQuota {
  const names = limitedNames(quota)
  return {
    ...quota,
    status: { ...quota.status, hard: quota.spec?.hard ?? {}, used: textsOf(only(used, names)) },
  }
}

/** The names of which more is asked for than is left. */
function exceeded(quota: ResourceQuota, asked: Amounts, next: Amounts): readonly string[] {
  const limits = amountsOf(quota.spec?.hard)
  return limitedNames(quota).filter((name) => {
    const [limit, amount] = [limits.get(name), next.get(name)]
    if (limit === undefined || amount === undefined) return false
    return isMore(asked.get(name)) && compareQuantities(amount, limit) > 0
  })
}

function isMore(amount: Quantity | undefined): boolean {
  return amount !== undefined && isPositive(amount)
}

function printed(amounts: Amounts, names: readonly string[]): string {
  return names.map((name) => `${name}=${printQuantity(amounts.get(name) ?? whole(0))}`).join(',')
}
