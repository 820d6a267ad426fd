/**
 * Server-side apply: one applier's whole intent, merged onto the live object (A4.58 to A4.65). The order of things:
 * merge, prune what the applier gave up, compare, conflicts unless forced, managers.
 */
import { runToCompletion, type Steps, wholeSlice } from '../../kernel/async/slices.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import {
  difference,
  type FieldSet,
  isEmpty,
  noFields,
  sameFields,
  unionAll,
} from '../field-set/field-set.ts'
import { type Conflicts, conflictsOf } from '../managers/conflicts.ts'
import { isSameManager, type Manager, type Managers } from '../managers/managers.ts'
import {
  type FieldWriter,
  trackSteps,
  unmanagedFields,
  withoutChanged,
} from '../managers/track-write.ts'
import {
  type ComparisonIn,
  comparisonsOf,
  type VersionView,
  type VersionViews,
} from '../managers/versioned-views.ts'
import { statedSteps } from '../typed/collect-fields.ts'
import { changedFields, noDifference } from '../typed/compare.ts'
import { mergeSteps } from '../typed/merge.ts'
import { prune } from './prune.ts'

/** The manager of everything that was there before the first apply (supplement A-10). */
export const beforeFirstApply = 'before-first-apply'

/** What is there, what is wanted, and by whom. */
export interface ApplyRequest {
  readonly live: JsonObject
  readonly managers: Managers
  readonly config: JsonObject
  readonly writer: FieldWriter
  /** Takes fields from managers that disagree. */
  readonly force: boolean
  /** Fields whose conflicts are forced in any case. */
  readonly forcedFields?: FieldSet
  /** The object as it is before anything is said about it: `emptyObjectOf` its kind. */
  readonly empty: JsonObject
  readonly views: VersionViews
  /** The time of the apply: RFC 3339 in UTC. */
  readonly now: string
}

/**
 * The object and its managers; or the conflicts; or `problems`, messages about a configuration that cannot be merged at
 * all.
 */
export type ApplyResult =
  | { readonly object: JsonObject; readonly managers: Managers }
  | { readonly conflicts: Conflicts }
  | { readonly problems: readonly string[] }

/**
 * Merges the configuration onto the live object. The applier manages exactly what it states; what it managed before and
 * states no longer is removed unless another manager has it; a field that another manager holds with another value is a
 * conflict, unless forced. An apply that changes neither the object nor who manages what returns the live object and the
 * managers themselves.
 */
export function applyConfig(request: ApplyRequest): ApplyResult {
  return runToCompletion(applySteps(request))
}

/** `applyConfig`, with a pause after each part of the work where `large` says that the parts take long. */
export function* applySteps(request: ApplyRequest, large = false): Steps<ApplyResult> {
  const { live, config, writer, views } = request
  const pause = large ? wholeSlice : 0
  const view = views(writer.apiVersion) as VersionView
  const problems: string[] = []
  yield pause
  const stated = yield* statedSteps(config, view.merge, problems)
  if (problems.length > 0) return { problems }
  yield pause
  const before = yield* managersBefore(request)
  const object = yield* mergedObject(request, before, view, stated)
  yield pause
  const comparisons = yield* comparisonsOf(live, object, views, writer.apiVersion)
  yield pause
  const conflicts = remainingConflicts(request, before, comparisons)
  if (conflicts.length > 0) return { conflicts }
  yield pause
  const fields = difference(view.restrict(stated), unmanagedFields)
  return withManagers(request, before, object, fields, comparisons)
}

/**
 * The object as an apply would leave it, conflicts aside; undefined for a configuration that cannot be merged. Views convert
 * this one and the live object, nothing else: a caller whose conversions have to be waited for does them ahead.
 */
export function* mergedByApply(request: ApplyRequest): Steps<JsonObject | undefined> {
  const view = request.views(request.writer.apiVersion) as VersionView
  const problems: string[] = []
  const stated = yield* statedSteps(request.config, view.merge, problems)
  if (problems.length > 0) return undefined
  return yield* mergedObject(request, yield* managersBefore(request), view, stated)
}

/** Who managed what before the apply. */
interface ManagersBefore {
  readonly managers: Managers
  /** The applier's own record. */
  readonly last: Manager | undefined
  readonly others: Managers
}

function* managersBefore(request: ApplyRequest): Steps<ManagersBefore> {
  const managers = request.managers.length === 0 ? yield* firstManagers(request) : request.managers
  const last = managers.find((one) => isSameManager(one, applierOf(request)))
  return { managers, last, others: managers.filter((one) => one !== last) }
}

function firstManagers({ live, empty, writer, views, now }: ApplyRequest): Steps<Managers> {
  const first = { ...writer, manager: beforeFirstApply }
  return trackSteps([], { before: empty, after: live, writer: first, views, now })
}

function applierOf({ writer }: Pick<ApplyRequest, 'writer'>) {
  return { ...writer, operation: 'Apply' as const }
}

/** The live object with the configuration merged onto it, without what the applier gave up and no other manager has. */
function* mergedObject(
  { live, config, views }: ApplyRequest,
  { last, others }: ManagersBefore,
  view: VersionView,
  stated: FieldSet,
): Steps<JsonObject> {
  const merged = (yield* mergeSteps(live, config, view.merge)) as JsonObject
  return yield* prune(merged, {
    last: last && views(last.apiVersion) ? last.fields : noFields,
    kept: last === undefined ? noFields : unionAll([stated, ...others.map(({ fields }) => fields)]),
    view,
  })
}

/** The conflicts that make the apply fail: none where it is forced. */
function remainingConflicts(
  { force, forcedFields = noFields }: ApplyRequest,
  { others }: ManagersBefore,
  comparisons: ComparisonIn,
): Conflicts {
  if (force) return []
  const changed = new Map<string, FieldSet>()
  const changedFor = ({ apiVersion }: Manager): FieldSet => {
    const comparison = comparisons(apiVersion)
    const known = changed.get(apiVersion)
    const fields = known ?? (comparison === undefined ? noFields : changedFields(comparison))
    changed.set(apiVersion, fields)
    return fields
  }
  return conflictsOf(others, changedFor)
    .map(({ manager, fields }) => ({ manager, fields: difference(fields, forcedFields) }))
    .filter(({ fields }) => !isEmpty(fields))
}

/**
 * The result: the other managers lose what changed, and the applier's record holds `fields`. Its time is new also if the
 * merged object differs only where the request writes nothing.
 */
function withManagers(
  request: ApplyRequest,
  { managers, last, others }: ManagersBefore,
  object: JsonObject,
  fields: FieldSet,
  comparisons: ComparisonIn,
): ApplyResult {
  const applier = applierOf(request)
  const own = comparisons(applier.apiVersion)
  const sameObject = own === undefined || own === noDifference
  const rest = withoutChanged(others, ({ apiVersion }) => comparisons(apiVersion))
  const sameRecord = isUnchanged(last, applier, fields)
  const sameOthers = managers === request.managers && sameManagers(rest, others)
  if (sameObject && sameRecord && sameOthers) return { object: request.live, managers }
  if (isEmpty(fields)) return { object, managers: rest }
  const time = sameObject ? last?.time : request.now
  return { object, managers: [...rest, { ...applier, ...(time && { time }), fields }] }
}

function sameManagers(a: Managers, b: Managers): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index])
}

function isUnchanged(
  last: Manager | undefined,
  { apiVersion }: Pick<Manager, 'apiVersion'>,
  fields: FieldSet,
): boolean {
  if (last === undefined) return isEmpty(fields)
  return last.apiVersion === apiVersion && sameFields(last.fields, fields)
}
