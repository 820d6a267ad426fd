import { persistentVolumeClaims } from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { type Pod, type PodTemplateSpec, pods } from '../../../../generated/apis/core/v1/pod.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { capitalized } from '../../../kernel/values/capitalized.ts'
import type { KeyContext } from '../../../reconcile/reconcile.ts'
import type { SlowStarts } from '../../pods/slow-start.ts'
import { type ClaimUser, decideClaimOwners } from './claim-owners.ts'
import type { SetOptions, SetPlan, Step } from './decide-stateful-set.ts'
import { ordinalOf, type StoredSet } from './set-names.ts'
import {
  claimsOf,
  hasIdentity,
  hasStorage,
  podOfSet,
  withIdentity,
  withStorage,
} from './set-pods.ts'

/** What new pods are made of. */
export interface Template {
  readonly template: PodTemplateSpec
  readonly revision: string
}

/** What steps are taken with. */
export interface CarryOutOptions {
  readonly set: StoredSet
  readonly templates: Readonly<Record<'current' | 'update', Template>>
  readonly options: SetOptions
  readonly starts: SlowStarts
  readonly context: KeyContext
}

/** How far a plan was carried out. */
export interface CarriedOut {
  /** The first failure, which ended it. */
  readonly error?: unknown
  /** True if it goes on in the next turn. */
  readonly paused?: boolean
}

/** Carries out a plan, as far as nothing fails and no other set waits for long. */
export async function carryOut(plan: SetPlan, given: CarryOutOptions): Promise<CarriedOut> {
  const { set, starts, context } = given
  const work = new PodWork(given)
  for (const steps of plan.rounds) {
    if (plan.parallel) {
      const take = (at: number): Promise<void> => work.take(steps[at]!)
      const { error, paused } = await starts.run(set.metadata.uid, steps.length, take, context)
      if (error !== undefined || paused) return { error, paused }
    } else {
      for (const step of steps) {
        try {
          await work.take(step)
        } catch (error) {
          return { error }
        }
      }
    }
  }
  return {}
}

type Verb = 'create' | 'delete' | 'update'

class PodWork {
  readonly #given: CarryOutOptions

  constructor(given: CarryOutOptions) {
    this.#given = given
  }

  async take(step: Step): Promise<void> {
    if (step.is === 'create') return this.#create(step)
    const { pod } = step
    switch (step.is) {
      case 'delete':
        return this.#told('delete', pod, () => this.#delete(pod))
      case 'claims':
        await this.#makeClaims(pod, false)
        return this.#keepOwners(pod)
      case 'owners':
        return this.#keepOwners(pod)
      case 'update':
        return this.#told('update', pod, () => this.#update(pod))
    }
  }

  async #create({ ordinal, revision }: Step & { readonly is: 'create' }): Promise<void> {
    const { set, templates, options, context } = this.#given
    const draft = podOfSet(set, ordinal, templates[revision], options)
    await this.#told('create', draft, async () => {
      await this.#makeClaims(draft, true)
      const pod = await context.client.resource(pods).create(draft, {}, context.signal)
      await this.#keepOwners(pod)
    })
  }

  /** Does something about a pod, and tells of it. What another client did already is neither told nor a failure. */
  async #told(verb: Verb, pod: ClaimUser, act: () => Promise<void>): Promise<void> {
    const { set, context } = this.#given
    const { name } = pod.metadata
    const what = `${verb} Pod ${name} in StatefulSet ${set.metadata.name}`
    const reason = capitalized(verb)
    try {
      await act()
      const message = `${what} successful`
      context.event(set, { type: 'Normal', reason: `Successful${reason}`, message })
    } catch (error) {
      if (verb === 'delete' && (isStatus(error, 'NotFound') || isStatus(error, 'Conflict'))) return
      const isPassing = isStatus(error, 'AlreadyExists') || isStatus(error, 'Conflict')
      if (!isPassing) {
        const message = `${what} failed error: ${textOf(error)}`
        context.event(set, { type: 'Warning', reason: `Failed${reason}`, message })
      }
      throw error
    }
  }

  async #delete(pod: Stored<Pod>): Promise<void> {
    const { client, signal } = this.#given.context
    await client.resource(pods).delete(pod, {}, signal)
  }

  async #update(pod: Stored<Pod>): Promise<void> {
    const { set, options, context } = this.#given
    const fitsIdentity = hasIdentity(set, pod, options)
    const fitsStorage = hasStorage(set, pod)
    const named = fitsIdentity ? pod : withIdentity(pod, options)
    if (!fitsStorage) await this.#makeClaims(pod, true)
    await this.#keepOwners(pod)
    if (fitsIdentity && fitsStorage) return
    const whole = fitsStorage ? named : withStorage(set, named)
    await context.client.resource(pods).update(whole, {}, context.signal)
  }

  /** Makes the claims of a pod that are missing. @throws Error that says all that went wrong. */
  async #makeClaims(pod: ClaimUser, strictly: boolean): Promise<void> {
    const { set, context } = this.#given
    const failures: string[] = []
    for (const { draft } of claimsOf(set, ordinalOf(pod))) {
      const { name } = draft.metadata
      const present = context.cached(persistentVolumeClaims).get({
        ...{ name, namespace: set.metadata.namespace },
      })
      const goes = present?.metadata.deletionTimestamp !== undefined
      if (goes && strictly) failures.push(`pvc ${name} is being deleted`)
      if (present !== undefined) continue
      const error = await this.#makeClaim(pod, draft)
      if (error !== undefined) failures.push(`failed to create PVC ${name}: ${textOf(error)}`)
    }
    if (failures.length > 1) throw new Error(`[${failures.join(', ')}]`)
    if (failures.length === 1) throw new Error(failures[0])
  }

  async #makeClaim(
    pod: ClaimUser,
    draft: ReturnType<typeof claimsOf>[number]['draft'],
  ): Promise<unknown> {
    const { set, context } = this.#given
    const about = `Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`
    const what = `create Claim ${draft.metadata.name}`
    try {
      await context.client.resource(persistentVolumeClaims).create(draft, {}, context.signal)
    } catch (error) {
      if (isStatus(error, 'AlreadyExists')) return error
      const message = `${what} for ${about} failed error: ${textOf(error)}`
      context.event(set, { type: 'Warning', reason: 'FailedCreate', message })
      return error
    }
    const message = `${what} ${about} success`
    context.event(set, { type: 'Normal', reason: 'SuccessfulCreate', message })
    return undefined
  }

  /** Gives the claims of a pod the owners that they are to have. */
  async #keepOwners(pod: ClaimUser): Promise<void> {
    const { set, options, context } = this.#given
    if (!options.deletesClaims) return
    for (const { draft } of claimsOf(set, ordinalOf(pod))) {
      const { name } = draft.metadata
      const { namespace } = set.metadata
      const claim = context.cached(persistentVolumeClaims).get({ name, namespace })
      if (claim === undefined) continue
      const { owners, conflict } = decideClaimOwners(claim, set, pod)
      if (conflict) {
        const message = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`
        context.event(set, { type: 'Warning', reason: 'ConflictingController', message })
      }
      if (owners === undefined) continue
      const metadata = { ...claim.metadata, ownerReferences: owners }
      await context.client
        .resource(persistentVolumeClaims)
        .update({ ...claim, metadata }, {}, context.signal)
    }
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
