import type { DeclaredCondition } from '../../kernel/descriptors/declared-conditions.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { type ConditionLike, conditionOf } from './status-conditions.ts'

/** A condition that is otherwise than on an object in order. */
export interface UnhealthyCondition {
  readonly type: string
  /** `Unknown` for a condition that is not there. */
  readonly status: string
  /** Empty where none is stated. */
  readonly reason: string
  readonly message: string
  /** What the schema says that the reason means. */
  readonly meaning: string
  /** For how many milliseconds: since the last transition, or as long as the object is there. */
  readonly forMs: number
  /** Longer than the schema's `alertAfter`. */
  readonly overdue: boolean
}

/** How an object stands by the conditions that its schema declares. */
export interface Readiness {
  /** Its status speaks of what is wanted now, and every condition with a healthy status has it. */
  readonly ready: boolean
  /** False while the status speaks of an earlier generation. */
  readonly observed: boolean
  readonly unhealthy: readonly UnhealthyCondition[]
}

interface Conditioned extends ApiObject {
  readonly status?: {
    readonly observedGeneration?: number
    readonly conditions?: readonly (ConditionLike & {
      readonly reason?: string
      readonly message?: string
    })[]
  }
}

/**
 * How an object stands, by the conditions whose schema says what is healthy (`x-orch-condition-reasons`). A condition that is not there is
 * not healthy. Of a kind that declares none only the generation counts. `now` is in milliseconds of the epoch.
 *
 * @example
 * const { ready, unhealthy } = readinessOf(websites, website, clock.now())
 */
export function readinessOf<T extends ApiObject>(kind: Kind<T>, object: T, now: number): Readiness {
  const { metadata, status = {} } = object as Conditioned
  const unhealthy = Object.entries(kind.conditions ?? {}).flatMap(([type, declared]) => {
    const found = unhealthyCondition(type, declared, object, now)
    return found === undefined ? [] : [found]
  })
  const observed = (status.observedGeneration ?? Infinity) >= (metadata?.generation ?? 0)
  return { ready: observed && unhealthy.length === 0, observed, unhealthy }
}

function unhealthyCondition(
  type: string,
  { healthy, reasons, alertAfterSeconds = Infinity }: DeclaredCondition,
  { metadata, status }: Conditioned,
  now: number,
): UnhealthyCondition | undefined {
  const condition = conditionOf(status?.conditions, type)
  if (healthy === undefined || condition?.status === healthy) return undefined
  const { reason = '', message = '', lastTransitionTime } = condition ?? {}
  const stated = Date.parse(lastTransitionTime ?? metadata?.creationTimestamp ?? '')
  const forMs = Number.isNaN(stated) ? 0 : now - stated
  return {
    ...{ type, status: condition?.status ?? 'Unknown', reason, message, forMs },
    meaning: (Object.hasOwn(reasons, reason) && reasons[reason]) || '',
    overdue: forMs > alertAfterSeconds * 1000,
  }
}
