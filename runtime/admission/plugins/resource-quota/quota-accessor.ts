import type { ResourceQuota } from '../../../../generated/apis/core/v1/resource-quota.ts'
import { runInSlices, runToCompletion } from '../../../kernel/async/slices.ts'
import type { AnyKind } from '../../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { compareQuantities, printQuantity, type Quantity } from '../../../kernel/values/quantity.ts'
import type { PluginContext } from '../../chain/plugin-context.ts'
import {
  addResources,
  countQuantity,
  isPositive,
  parseResourceList,
  printResourceList,
  type ResourceList,
  subtractResources,
} from '../pods/resource-lists.ts'
import { countUsage, limitedResources, pickResources } from './count.ts'

/** Something that is to be charged to a quota. */
export interface Charge {
  readonly amounts: ResourceList
  /** The object that it is for, where it is a new one. */
  readonly identity?: string
}

/**
 * The books of all quotas. A charge is written into the status of its quota before its object is stored, so that requests
 * at the same time cannot both have the last of something. Before a charge is refused, and when a quota has changed, the
 * objects themselves are counted: what was charged and is on its way into the store counts too.
 */
export class QuotaAccessor {
  readonly #world: PluginContext
  readonly #kind: AnyKind
  readonly #pending = new Map<string, Set<Charge>>()
  readonly #turns = new Map<string, Promise<void>>()

  constructor(world: PluginContext, kind: AnyKind) {
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
      if (!hasRoom(quota, charge.amounts)) await this.#read(quota)
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
    amounts: ResourceList,
    refuse: (exceeded: string) => Error,
  ): Promise<void> {
    if (hasRoom(quota, amounts)) return
    await this.#read(quota)
    this.#charged(quota, amounts, refuse)
  }

  /** Reads what is to be counted, in turns with other requests, so that counting is adding up. */
  async #read(quota: ResourceQuota): Promise<void> {
    await runInSlices(countUsage(this.#world, quota))
  }

  /** The quota with amounts more in use. Fails as `refuse` says if that is more than there may be. */
  #charged(
    quota: ResourceQuota,
    amounts: ResourceList,
    refuse: (exceeded: string) => Error,
  ): ResourceQuota {
    if (hasRoom(quota, amounts)) {
      return withUsed(quota, addResources(parseResourceList(quota.status?.used), amounts))
    }
    const used = this.#count(quota)
    const next = addResources(used, amounts)
    const over = exceeded(quota, amounts, next)
    if (over.length === 0) return withUsed(quota, next)
    const limits = parseResourceList(quota.spec?.hard)
    throw refuse(
      `exceeded quota: ${quota.metadata.name}, requested: ${printAmounts(amounts, over)}, ` +
        `used: ${printAmounts(used, over)}, limited: ${printAmounts(limits, over)}`,
    )
  }

  /** Writes what is in use by the objects themselves. */
  recount(quota: ResourceQuota): Promise<void> {
    return this.#inTurn(quota.metadata.uid ?? '', async () => {
      await this.#read(quota)
      await this.#change(quota, (current) => withUsed(current, this.#count(current)))
    })
  }

  #count(quota: ResourceQuota): ResourceList {
    const pending = [...(this.#pending.get(quota.metadata.uid ?? '') ?? [])]
    const identities = new Set(pending.flatMap(({ identity }) => identity ?? []))
    const stored = runToCompletion(countUsage(this.#world, quota, identities))
    return pending
      .map(({ amounts }) => pickResources(amounts, limitedResources(quota)))
      .reduce<ResourceList>(addResources, stored)
  }

  #refunded(quota: ResourceQuota, amounts: ResourceList): ResourceQuota | undefined {
    if (!isStatusCurrent(quota)) return undefined
    const left = subtractResources(
      parseResourceList(quota.status?.used),
      pickResources(amounts, limitedResources(quota)),
    )
    const used = [...left].map(
      ([name, amount]) => [name, isPositive(amount) ? amount : countQuantity(0)] as const,
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
function hasRoom(quota: ResourceQuota, amounts: ResourceList): boolean {
  if (!isStatusCurrent(quota)) return false
  return (
    exceeded(quota, amounts, addResources(parseResourceList(quota.status?.used), amounts))
      .length === 0
  )
}

/** True if the status is about what the quota limits now. */
function isStatusCurrent({ spec, status }: ResourceQuota): boolean {
  const hard = spec?.hard ?? {}
  const used = status?.used ?? {}
  return (
    deepEqual(status?.hard ?? {}, hard) &&
    Object.keys(hard).every((name) => Object.hasOwn(used, name))
  )
}

function withUsed(quota: ResourceQuota, used: ResourceList): ResourceQuota {
  const names = limitedResources(quota)
  return {
    ...quota,
    status: {
      ...quota.status,
      hard: quota.spec?.hard ?? {},
      used: printResourceList(pickResources(used, names)),
    },
  }
}

/** The names of which more is asked for than is left. */
function exceeded(
  quota: ResourceQuota,
  asked: ResourceList,
  next: ResourceList,
): readonly string[] {
  const limits = parseResourceList(quota.spec?.hard)
  return limitedResources(quota).filter((name) => {
    const [limit, amount] = [limits.get(name), next.get(name)]
    if (limit === undefined || amount === undefined) return false
    return isMore(asked.get(name)) && compareQuantities(amount, limit) > 0
  })
}

function isMore(amount: Quantity | undefined): boolean {
  return amount !== undefined && isPositive(amount)
}

function printAmounts(amounts: ResourceList, names: readonly string[]): string {
  return names
    .map((name) => `${name}=${printQuantity(amounts.get(name) ?? countQuantity(0))}`)
    .join(',')
}
