import type { ControllerRevision } from '../../../../generated/apis/apps/v1/controller-revision.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import type { RevisionData } from './revision-data.ts'

/** A stored revision of a workload's template. */
export type Revision = Stored<ControllerRevision>

/** Which revision says what a workload asks for now. */
export interface RevisionPlan {
  /** The newest one that stores the data; undefined if one is to be made. */
  readonly latest: Revision | undefined
  /** The number that it is to have. */
  readonly number: number
  /** Others that store the same. */
  readonly duplicates: readonly Revision[]
}

/** Revisions from the oldest to the newest. */
export function sortRevisions(revisions: readonly Revision[]): readonly Revision[] {
  const age = ({ metadata }: Revision) => `${metadata.creationTimestamp} ${metadata.name}`
  return [...revisions].sort((a, b) => a.revision - b.revision || (age(a) < age(b) ? -1 : 1))
}

/** Data that was stored before is used again, under a number above all others. */
export function decideRevision(revisions: readonly Revision[], data: RevisionData): RevisionPlan {
  const order = sortRevisions(revisions)
  const same = order.filter((one) => deepEqual(one.data, data))
  const latest = same.at(-1)
  const last = order.at(-1)
  if (latest === undefined || last === undefined || latest === last) {
    const number = latest?.revision ?? (last?.revision ?? 0) + 1
    return { latest, number, duplicates: same.slice(0, -1) }
  }
  return { latest, number: last.revision + 1, duplicates: same.slice(0, -1) }
}

/** The oldest revisions beyond a limit of those that are not in use. A negative limit keeps all of them. */
export function surplusRevisions(unused: readonly Revision[], limit: number): readonly Revision[] {
  const surplus = limit < 0 ? 0 : Math.max(0, unused.length - limit)
  return sortRevisions(unused).slice(0, surplus)
}
