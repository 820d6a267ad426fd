import type { ResourceQuota } from '../../../../generated/apis/core/v1/resource-quota.ts'
import { runInSlices, runToCompletion } from '../../../kernel/async/slices.ts'
import type { AnyKind } from '../../../kernel/descriptors/kind.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { printQuantity } from '../../../kernel/values/quantity.ts'
import {
  addResources,
  countQuantity,
  isPositive,
  parseResourceList,
  pickResources,
  type ResourceList,
  subtractResources,
} from '../../../pods/pods.ts'
import { isStatusCurrent, limitedResources, usedResources, withUsed } from '../../../quota/quota.ts'
import type { PluginContext } from '../../chain/plugin-context.ts'
import { exceeded, hasRoom } from './room.ts'
import { UsageCounter } from './usage-counter.ts'

/** The resources that a request adds to a quota. */
export interface Charge {
  readonly resources: ResourceList
  /** The identity of the object, if the request creates it. */
  readonly identity?: string
}

/** Creates the error of a request that exceeds a quota. */
export type ExceededError = (reason: string) => Error

/**
 * Charges quotas. The status of a quota is written before the object of a request is stored, so that two requests at the same
 * time cannot both take the last of a resource. If the status leaves no room, or the quota has changed, the stored objects are
 * counted, together with the charges whose objects are not stored yet.
 */
export class QuotaAccessor {
  readonly #context: PluginContext
  readonly #kind: AnyKind
  readonly #counter: UsageCounter
  /** Charges whose requests have not ended, by the UID of the quota. */
  readonly #pending = new Map<string, Set<Charge>>()
  /** The last write of each quota, by its UID: writes of one quota run one after the other. */
  readonly #lastWrites = new Map<string, Promise<void>>()

  constructor(context: PluginContext, kind: AnyKind) {
    this.#context = context
    this.#kind = kind
    this.#counter = new UsageCounter(context)
  }

  /**
   * Charges a quota, and returns what ends the charge: it is to be called with whether the object was stored, and gives the
   * resources back if not.
   *
   * @throws the error of `exceededError` if the quota has no room
   */
  async charge(
    quota: Stored<ResourceQuota>,
    charge: Charge,
    exceededError: ExceededError,
  ): Promise<(stored: boolean) => Promise<void>> {
    const { resources } = charge
    const uid = quota.metadata.uid
    await this.#serialized(uid, async () => {
      if (!hasRoom(quota, resources)) await this.#readAll(quota)
      await this.#changeStatus(quota, (current) => this.#charged(current, resources, exceededError))
      this.#pending.set(uid, (this.#pending.get(uid) ?? new Set()).add(charge))
    })
    return async (stored) => {
      const pending = this.#pending.get(uid)
      pending?.delete(charge)
      if (pending?.size === 0) this.#pending.delete(uid)
      if (stored) return
      const refund = (current: ResourceQuota) => refunded(current, resources)
      await this.#serialized(uid, () => this.#changeStatus(quota, refund))
    }
  }

  /**
   * Checks that a quota has room, without charging it.
   *
   * @throws the error of `exceededError` if it has not
   */
  async check(
    quota: Stored<ResourceQuota>,
    requested: ResourceList,
    exceededError: ExceededError,
  ): Promise<void> {
    if (hasRoom(quota, requested)) return
    await this.#readAll(quota)
    this.#charged(quota, requested, exceededError)
  }

  /** Writes the use that the stored objects add up to. */
  recount(quota: Stored<ResourceQuota>): Promise<void> {
    return this.#serialized(quota.metadata.uid, async () => {
      await this.#readAll(quota)
      await this.#changeStatus(quota, (current) => withUsed(current, this.#count(current)))
    })
  }

  /** Runs a write after the last one of the same quota, whether that succeeded or not. */
  async #serialized(uid: string, write: () => Promise<void>): Promise<void> {
    const last = this.#lastWrites.get(uid)
    const own = last === undefined ? write() : last.then(write)
    const ended = own.catch(() => {})
    this.#lastWrites.set(uid, ended)
    try {
      await own
    } finally {
      if (this.#lastWrites.get(uid) === ended) this.#lastWrites.delete(uid)
    }
  }

  /** Reads the objects in slices of time, so that the synchronous count that follows only has to add. */
  async #readAll(quota: Stored<ResourceQuota>): Promise<void> {
    await runInSlices(this.#counter.count(quota))
  }

  /** The quota with the request charged: on the status if that leaves room, else on a new count. */
  #charged(
    quota: Stored<ResourceQuota>,
    requested: ResourceList,
    exceededError: ExceededError,
  ): ResourceQuota {
    if (hasRoom(quota, requested)) {
      return withUsed(quota, addResources(usedResources(quota), requested))
    }
    const used = this.#count(quota)
    const next = addResources(used, requested)
    const names = exceeded(quota, requested, next)
    if (names.length === 0) return withUsed(quota, next)
    const hard = parseResourceList(quota.spec?.hard)
    throw exceededError(
      `exceeded quota: ${quota.metadata.name}, requested: ${print(requested, names)}, ` +
        `used: ${print(used, names)}, limited: ${print(hard, names)}`,
    )
  }

  /** The use of stored objects and pending charges. An object whose charge is pending counts once: by the charge. */
  #count(quota: Stored<ResourceQuota>): ResourceList {
    const pending = [...(this.#pending.get(quota.metadata.uid) ?? [])]
    const identities = new Set(pending.flatMap(({ identity }) => identity ?? []))
    const stored = runToCompletion(this.#counter.count(quota, identities))
    return pending
      .map(({ resources }) => pickResources(resources, limitedResources(quota)))
      .reduce<ResourceList>(addResources, stored)
  }

  /** Changes the status of this very quota: one of the same name with another UID is left alone. */
  #changeStatus(
    { metadata }: Stored<ResourceQuota>,
    change: (quota: Stored<ResourceQuota>) => ResourceQuota | undefined,
  ): Promise<void> {
    const { namespace, name, uid } = metadata
    const key = { name, ...(namespace && { namespace }) }
    return this.#context.writer.changeStatus(this.#kind, key, (object) =>
      object.metadata.uid === uid ? change(object as Stored<ResourceQuota>) : undefined,
    )
  }
}

/** The quota without the resources, never below zero; undefined if its limits have changed since they were charged. */
function refunded(quota: ResourceQuota, resources: ResourceList): ResourceQuota | undefined {
  if (!isStatusCurrent(quota, [...resources.keys()])) return undefined
  const charged = pickResources(resources, limitedResources(quota))
  const left = [...subtractResources(usedResources(quota), charged)].map(
    ([name, quantity]) => [name, isPositive(quantity) ? quantity : countQuantity(0)] as const,
  )
  return withUsed(quota, new Map(left))
}

function print(list: ResourceList, names: readonly string[]): string {
  return names
    .map((name) => `${name}=${printQuantity(list.get(name) ?? countQuantity(0))}`)
    .join(',')
}
