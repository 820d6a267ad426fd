import type { PersistentVolumeClaim } from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { intOrPercentValue, percentValue } from '../../../kernel/values/int-or-percent.ts'
import { decideClaimOwners, isStaleClaim } from './claim-owners.ts'
import { isInRange, ordinalOf, ordinalsOf, podNameOf, type StoredSet } from './set-names.ts'
import {
  claimsOf,
  hasIdentity,
  hasStorage,
  type IdentityOptions,
  isFinished,
  isHealthy,
  isRunningAndReady,
  isSetPodAvailable,
  isTerminating,
  revisionOf,
} from './set-pods.ts'

/** What is observed of a stateful set. */
export interface ObservedSet {
  readonly set: StoredSet
  /** Its own. */
  readonly pods: readonly Stored<Pod>[]
  /** The claim of a name, if there is one. */
  readonly claimOf: (name: string) => Stored<PersistentVolumeClaim> | undefined
  /** The names of the revision that its pods have, and of the one that they are to have. */
  readonly current: string
  readonly update: string
}

/** What is decided by. */
export interface SetOptions extends IdentityOptions {
  /** Claims go with the set or with their pods, if the set says so. */
  readonly deletesClaims: boolean
  /** A rolling update may make several pods unavailable at a time. */
  readonly maxUnavailable: boolean
}

/** One thing to do about a pod. */
export type Step =
  | { readonly is: 'create'; readonly ordinal: number; readonly revision: 'current' | 'update' }
  | { readonly is: 'delete'; readonly pod: Stored<Pod> }
  /** Its claims are made that are missing, and get their owners. */
  | { readonly is: 'claims'; readonly pod: Stored<Pod> }
  /** Its claims get their owners. */
  | { readonly is: 'owners'; readonly pod: Stored<Pod> }
  /** It and its claims become as the set says. */
  | { readonly is: 'update'; readonly pod: Stored<Pod> }

/** What is to be done about a set: round after round, of which none begins unless the one before succeeded. */
export interface SetPlan {
  readonly rounds: readonly (readonly Step[])[]
  /** The steps of a round are taken at the same time, not one after the other. */
  readonly parallel: boolean
}

/** What is to be done now. A set whose pods are managed in order has at most one pod coming or going at a time. */
export function decideSet(observed: ObservedSet, now: number, options: SetOptions): SetPlan {
  return new Decision(observed, now, options).plan()
}

class Decision {
  readonly #observed: ObservedSet
  readonly #set: StoredSet
  readonly #now: number
  readonly #options: SetOptions
  readonly #ordered: boolean
  /** The pods of the numbers that the set has, by number. */
  readonly #replicas: ReadonlyMap<number, Stored<Pod>>
  /** Those of other numbers, the highest first. */
  readonly #condemned: readonly Stored<Pod>[]

  constructor(observed: ObservedSet, now: number, options: SetOptions) {
    const { set, pods } = observed
    this.#observed = observed
    this.#set = set
    this.#now = now
    this.#options = options
    this.#ordered = set.spec?.podManagementPolicy !== 'Parallel'
    const numbered = pods.filter((pod) => ordinalOf(pod) >= 0)
    const wanted = numbered.filter((pod) => isInRange(set, ordinalOf(pod)))
    this.#replicas = new Map(wanted.map((pod) => [ordinalOf(pod), pod]))
    this.#condemned = numbered
      .filter((pod) => !wanted.includes(pod))
      .sort((a, b) => ordinalOf(b) - ordinalOf(a))
  }

  plan(): SetPlan {
    const parallel = !this.#ordered
    if (this.#set.metadata.deletionTimestamp !== undefined) return { rounds: [], parallel }
    const kept = this.#keep()
    const rounds = [kept.steps]
    if (!kept.blocked) {
      const down = this.#scaleDown()
      rounds.push(this.#condemnedClaims(), down.steps)
      if (!down.blocked) rounds.push(this.#replaceOutdated())
    }
    return { rounds: rounds.filter((steps) => steps.length > 0), parallel }
  }

  /** Every pod that the set has to have exists and is what it is to be. */
  #keep(): Steps {
    const { start, end } = ordinalsOf(this.#set)
    const steps: Step[] = []
    for (let ordinal = start; ordinal <= end; ordinal++) {
      const pod = this.#replicas.get(ordinal)
      const one = pod === undefined ? this.#make(ordinal) : this.#keepPod(pod)
      steps.push(...one.steps)
      if (one.blocked && this.#ordered) return { steps, blocked: true }
    }
    return { steps, blocked: false }
  }

  #make(ordinal: number): Steps {
    const { set } = this.#observed
    const name = podNameOf(set, ordinal)
    const isStale =
      this.#options.deletesClaims &&
      this.#claims(ordinal).some((claim) => claim !== undefined && isStaleClaim(claim, set, name))
    if (isStale) return { steps: [], blocked: true }
    const { start } = ordinalsOf(set)
    const { type, rollingUpdate } = set.spec?.updateStrategy ?? {}
    const old = rollingUpdate ? rollingUpdate.partition : set.status?.currentReplicas
    const isOld =
      (type === 'RollingUpdate' || rollingUpdate !== undefined) && ordinal < start + (old ?? 0)
    return {
      steps: [{ is: 'create', ordinal, revision: isOld ? 'current' : 'update' }],
      blocked: true,
    }
  }

  #keepPod(pod: Stored<Pod>): Steps {
    const set = this.#set
    if (isFinished(pod)) {
      return { steps: isTerminating(pod) ? [] : [{ is: 'delete', pod }], blocked: true }
    }
    const lacks = pod.status?.phase === 'Pending' && this.#lacksClaims(pod)
    const steps: Step[] = lacks ? [{ is: 'claims', pod }] : []
    const isSettled =
      !isTerminating(pod) && isRunningAndReady(pod) && isSetPodAvailable(set, pod, this.#now)
    if (!isSettled && this.#ordered) return { steps, blocked: true }
    if (!lacks && !this.#isRight(pod)) steps.push({ is: 'update', pod })
    return { steps, blocked: false }
  }

  #isRight(pod: Stored<Pod>): boolean {
    const set = this.#set
    const ownersFit = !this.#options.deletesClaims || !this.#hasWrongOwners(pod)
    return hasIdentity(set, pod, this.#options) && hasStorage(set, pod) && ownersFit
  }

  #lacksClaims(pod: Stored<Pod>): boolean {
    const claims = this.#claims(ordinalOf(pod))
    const lacks = claims.includes(undefined)
    return lacks || (this.#options.deletesClaims && this.#hasWrongOwners(pod))
  }

  #hasWrongOwners(pod: Stored<Pod>): boolean {
    return this.#claims(ordinalOf(pod)).some(
      (claim) => claim && decideClaimOwners(claim, this.#set, pod).owners !== undefined,
    )
  }

  #claims(ordinal: number): readonly (Stored<PersistentVolumeClaim> | undefined)[] {
    const drafts = claimsOf(this.#set, ordinal)
    return drafts.map(({ draft }) => this.#observed.claimOf(draft.metadata.name))
  }

  #condemnedClaims(): readonly Step[] {
    if (!this.#options.deletesClaims) return []
    const wrong = this.#condemned.filter((pod) => this.#hasWrongOwners(pod))
    return wrong.map((pod) => ({ is: 'owners', pod }))
  }

  /** Pods beyond the numbers of the set go, the highest number first. */
  #scaleDown(): Steps {
    if (!this.#ordered) {
      const going = this.#condemned.filter((pod) => !isTerminating(pod))
      return { steps: going.map((pod) => ({ is: 'delete', pod })), blocked: false }
    }
    const [first] = this.#condemned
    if (first === undefined) return { steps: [], blocked: false }
    const unhealthy = this.#condemned.findLast((pod) => !isHealthy(pod))
    const settled = isRunningAndReady(first) && isSetPodAvailable(this.#set, first, this.#now)
    const waits = isTerminating(first) || (!settled && first !== unhealthy)
    return { steps: waits ? [] : [{ is: 'delete', pod: first }], blocked: true }
  }

  /** Pods of another revision go, the highest number first, as far as the strategy allows. */
  #replaceOutdated(): readonly Step[] {
    const { type, rollingUpdate } = this.#set.spec?.updateStrategy ?? {}
    if (type === 'OnDelete') return []
    const { start, end } = ordinalsOf(this.#set)
    const lowest = start + (rollingUpdate?.partition ?? 0)
    const budget = this.#options.maxUnavailable ? this.#budget() : undefined
    const steps: Step[] = []
    for (let ordinal = end; ordinal >= lowest; ordinal--) {
      if (budget !== undefined && steps.length >= budget) break
      const pod = this.#replicas.get(ordinal)
      const isOutdated = pod && !isTerminating(pod) && revisionOf(pod) !== this.#observed.update
      if (isOutdated) steps.push({ is: 'delete', pod })
      if (budget === undefined && (isOutdated || !pod || !isHealthy(pod))) break
    }
    return steps
  }

  /** How many more pods may become unavailable. */
  #budget(): number {
    const { replicas = 1, updateStrategy } = this.#set.spec ?? {}
    const limit = updateStrategy?.rollingUpdate?.maxUnavailable ?? 1
    const percent = percentValue(limit)
    const most = Number.isNaN(percent)
      ? intOrPercentValue(limit)
      : Math.floor((percent * replicas) / 100)
    const healthy = [...this.#replicas.values()].filter(isHealthy).length
    return Math.max(1, most) - (replicas - healthy)
  }
}

interface Steps {
  readonly steps: readonly Step[]
  /** What comes later has to wait. */
  readonly blocked: boolean
}
