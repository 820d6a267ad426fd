import type { ResourceQuota } from '../../../../generated/apis/core/v1/resource-quota.ts'
import { pause } from '../../../kernel/async/clock.ts'
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
  printResourceList,
  type ResourceList,
  subtractResources,
} from '../../../pods/pods.ts'
import { isStatusCurrent, limitedResources, usedResources, withUsed } from '../../../quota/quota.ts'
import type { PendingCharge, PluginContext } from '../../chain/plugin-context.ts'
import { exceeded, hasRoom } from './room.ts'
import { UsageCounter } from './usage-counter.ts'

/** The resources that a request adds to a quota. */
export interface Charge {
  readonly resources: ResourceList
  /** The identity of the object, if the request creates it. */
  readonly identity?: string
}

/** How often, and about how many milliseconds apart, a charge is tried that only charges of other servers leave no room for. */
const [doubtAttempts, doubtMs] = [8, 40]

/** There would be room if charges of other servers come to nothing. */
class Doubt extends Error {
  override readonly name = 'Doubt'
  readonly refusal: Error

  constructor(refusal: Error) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** Creates the error of a request that exceeds a quota. */
export type ExceededError = (reason: string) => Error

/**
 * Charges quotas. The status of a quota is written before the object of a request is stored, so that two requests at the same
 * time cannot both take the last of a resource. If the status leaves no room, or the quota has changed, the stored objects are
 * counted, together with the charges whose objects are not stored yet, by this server or another one of the same store.
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
    for (let left = doubtAttempts; ; left--) {
      try {
        return await this.#charge(quota, charge, exceededError)
      } catch (error) {
        if (!(error instanceof Doubt)) throw error
        if (left === 0) throw error.refusal
        const { clock, random } = this.#context
        await pause(clock, doubtMs * (1 + random()))
      }
    }
  }

  async #charge(
    quota: Stored<ResourceQuota>,
    charge: Charge,
    exceededError: ExceededError,
  ): Promise<(stored: boolean) => Promise<void>> {
    const { resources } = charge
    const uid = quota.metadata.uid
    const endElsewhere = await this.#context.charges?.add(uid, {
      ...charge,
      resources: printResourceList(resources),
    })
    try {
      await this.#serialized(uid, async () => {
        if (!hasRoom(quota, resources)) await this.#readAll(quota)
        await this.#changeStatus(quota, (current) =>
          this.#charged(current, resources, exceededError),
        )
        this.#pending.set(uid, (this.#pending.get(uid) ?? new Set()).add(charge))
      })
    } catch (error) {
      endElsewhere?.()
      throw error
    }
    return async (stored) => {
      const pending = this.#pending.get(uid)
      pending?.delete(charge)
      if (pending?.size === 0) this.#pending.delete(uid)
      endElsewhere?.()
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
    try {
      this.#charged(quota, requested, exceededError)
    } catch (error) {
      throw error instanceof Doubt ? error.refusal : error
    }
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
    const refusal = exceededError(
      `exceeded quota: ${quota.metadata.name}, requested: ${print(requested, names)}, ` +
        `used: ${print(used, names)}, limited: ${print(hard, names)}`,
    )
    const certain = addResources(this.#count(quota, []), requested)
    throw exceeded(quota, requested, certain).length === 0 ? new Doubt(refusal) : refusal
  }

  /** The use of stored objects and pending charges. An object whose charge is pending counts once: by the charge. */
  #count(
    quota: Stored<ResourceQuota>,
    elsewhere = this.#context.charges?.elsewhere(quota.metadata.uid) ?? [],
  ): ResourceList {
    const { uid } = quota.metadata
    const pending = [...(this.#pending.get(uid) ?? []), ...elsewhere.map(parsedCharge)]
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

function parsedCharge({ resources, ...charge }: PendingCharge): Charge {
  return { ...charge, resources: parseResourceList(resources) }
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
