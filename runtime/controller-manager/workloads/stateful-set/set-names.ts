/** What the pods and claims of a stateful set are called. */
import type { StatefulSet } from '../../../../generated/apis/apps/v1/stateful-set.ts'
import type { Stored } from '../../../kernel/meta/object.ts'

/** A stateful set as the server has it. */
export type StoredSet = Stored<StatefulSet>

/** The name of the set that a pod's name speaks of, and the pod's number in it; undefined for a name without a number. */
export function parsePodName(
  name: string,
): { readonly parent: string; readonly ordinal: number } | undefined {
  const at = name.lastIndexOf('-')
  const digits = name.slice(at + 1)
  if (at < 0 || !/^[0-9]{1,40}$/.test(digits)) return undefined
  const ordinal = Number(digits)
  return ordinal < 2 ** 31 ? { parent: name.slice(0, at), ordinal } : undefined
}

/** The number of a pod; -1 for one without. */
export function ordinalOf(pod: { readonly metadata: { readonly name: string } }): number {
  return parsePodName(pod.metadata.name)?.ordinal ?? -1
}

/** The name of the pod of a number. */
export function podNameOf(set: StoredSet, ordinal: number): string {
  return `${set.metadata.name}-${ordinal}`
}

/** The name of the claim of a template and a number. */
export function claimNameOf(set: StoredSet, template: string, ordinal: number): string {
  return `${template}-${set.metadata.name}-${ordinal}`
}

/** The numbers that a set has pods of: from the first one on, as many as there are to be. */
export function ordinalsOf({ spec }: StoredSet): { readonly start: number; readonly end: number } {
  const start = spec?.ordinals?.start ?? 0
  return { start, end: start + (spec?.replicas ?? 1) - 1 }
}

/** True for a number that the set has a pod of. */
export function isInRange(set: StoredSet, ordinal: number): boolean {
  const { start, end } = ordinalsOf(set)
  return ordinal >= start && ordinal <= end
}
