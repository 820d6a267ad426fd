import {
  type ApplyRequest,
  type ApplyResult,
  applySteps,
  type Conflict,
  type Conflicts,
  describeConflicts,
  emptyObjectOf,
  mergedByApply,
  noFields,
  recordsOf,
} from '../../apply/apply.ts'
import { type Awaitable, chainAwaitable } from '../../kernel/async/awaitable.ts'
import { needsSlices, pauseIf, runInSlices, type Steps } from '../../kernel/async/slices.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { type ApiObject, apiVersionOf } from '../../kernel/meta/object.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import type { RegistryContext, UpdateCall } from '../contract/context.ts'
import type { Item, ObjectTarget } from '../contract/contract.ts'
import { conversionConflict, schemaConflict } from '../strategy/apply-body.ts'
import type { Draft } from '../strategy/decode.ts'
import { fieldsLastApplied, lastApplied, withLastApplied } from '../strategy/last-applied.ts'
import {
  fieldManagersOf,
  fieldWriter,
  type ManagedFields,
  timeOfWrite,
  trackedFields,
} from '../strategy/managed-fields.ts'
import { readPatched } from '../strategy/patched.ts'
import { checkName, withRequestNamespace } from '../strategy/request-identity.ts'
import { scaleSubresourceOf } from '../strategy/scale-subresource.ts'
import { convertAhead, versionViews } from '../strategy/version-views.ts'

/** A request to apply one manager's whole intent. */
export interface ServerSideApply extends UpdateCall {
  readonly config: JsonObject
  readonly warnings: readonly string[]
  /** Work on it yields to other requests in between. */
  readonly large: boolean
}

/** What an apply makes of the live object. @throws StatusError Conflict with the managers who disagree. */
export function applyToLive(given: ServerSideApply, current: Item): Awaitable<Draft> {
  const apply = { ...given, large: given.large || needsSlices(current.bytes.length) }
  const { kind } = apply.target
  const live = current.object()
  const merged = chainAwaitable(pauseIf(apply.large), () =>
    mergeConfig(apply, live, emptyObjectOf(kind)),
  )
  return chainAwaitable(merged, ({ object, managedFields, unchanged }) =>
    unchanged
      ? { object: live, fieldErrors: [], warnings: apply.warnings, unchanged }
      : draftOf(apply, object, managedFields),
  )
}

/** What an apply makes of an object that is not there yet. @throws StatusError BadRequest if it has another name. */
export async function applyToAbsent(apply: ServerSideApply): Promise<Draft> {
  const { kind, name } = apply.target
  const blank: ApiObject = { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata: { name } }
  const { object, managedFields } = await mergeConfig(apply, blank, trackedFields(blank))
  const draft = await draftOf(apply, object, managedFields)
  const placed = withRequestNamespace(apply.target, draft.object)
  checkName(apply.target, placed)
  return { ...draft, object: placed }
}

/**
 * Reads the merged object like any body. Where it has the annotation of the command-line client, that client's applies keep it
 * up to date.
 */
function draftOf(
  { context: { scheme }, target, options, config, warnings, large }: ServerSideApply,
  object: JsonObject,
  managed: ManagedFields,
): Awaitable<Draft> {
  const { platform } = scheme
  const keepsAnnotation =
    options.manager === platform.client && lastApplied(object, platform) !== undefined
  const annotated = keepsAnnotation ? withLastApplied(object, config, platform) : object
  const applied = (why: string) => conversionConflict(target.kind, config, why)
  return chainAwaitable(
    readPatched(scheme, annotated, { kind: target.kind, applied }),
    ({ object: made, report }) => {
      return { object: made, fieldErrors: report.errors, warnings, managed, patched: true, large }
    },
  )
}

/** What a merge leaves. */
interface MergeResult {
  readonly object: JsonObject
  readonly managedFields: ManagedFields
  /** Neither the object nor who manages what is another one. */
  readonly unchanged: boolean
}

/**
 * Merges the configuration onto the live object. `empty` is what the object was before any manager wrote to it: the first apply
 * books to a manager of its own what was there already.
 *
 * @throws StatusError Conflict, or code 500 for a configuration that does not fit its schema.
 */
function mergeConfig(
  apply: ServerSideApply,
  liveObject: ApiObject,
  empty: JsonObject,
): Awaitable<MergeResult> {
  const { context, target, options, config } = apply
  const live = trackedFields(liveObject)
  checkMergeable(target, live)
  const managers = fieldManagersOf(context, target, liveObject)
  const request: ApplyRequest = {
    live,
    managers,
    config,
    writer: fieldWriter(target, options.manager),
    force: options.force === true,
    empty,
    views: versionViews(context, target),
    now: timeOfWrite(context, target),
  }
  const result = chainAwaitable(convertForApply(context, target, request), () =>
    runInSlices(appliedBy(request, apply)),
  )
  return chainAwaitable(result, (applied) => {
    if ('problems' in applied) throw schemaConflict(target.kind, config, applied.problems)
    if ('conflicts' in applied) throw applyConflict(applied.conflicts, target)
    const unchanged = applied.object === live && applied.managers === managers
    return { object: applied.object, managedFields: recordsOf(applied.managers), unchanged }
  })
}

/** @throws StatusError of code 500 if a custom object holds what its schema takes but no merge does: objects in a set. */
function checkMergeable({ kind }: ObjectTarget, live: JsonObject): void {
  const options = { repeats: true, valid: true }
  const problems = kind.customResource?.typeProblems(live, options) ?? []
  if (problems.length > 0) throw schemaConflict(kind, live, problems, 'live')
}

/** Where a webhook converts, both objects that an apply compares in the versions of its managers are converted ahead. */
function convertForApply(
  context: RegistryContext,
  target: ObjectTarget,
  request: ApplyRequest,
): Awaitable<void> {
  if (context.conversions === undefined) return undefined
  return chainAwaitable(
    runInSlices(mergedByApply(request)),
    (merged) => merged && convertAhead(context, target, request.managers, [request.live, merged]),
  )
}

/** The command-line client takes over what it applied on its own side before: those conflicts are forced. */
function* appliedBy(
  request: ApplyRequest,
  { context: { scheme }, target: { kind }, options: { manager }, large }: ServerSideApply,
): Steps<ApplyResult> {
  const { platform } = scheme
  const applied = yield* applySteps(request, large)
  if (!('conflicts' in applied) || manager !== platform.client) return applied
  const forcedFields = fieldsLastApplied(request.live, platform, kind.merge) ?? noFields
  return yield* applySteps({ ...request, forcedFields }, large)
}

/**
 * The 409 of an apply, with one cause for each field that another manager has with another value. To who applies a scale,
 * all of them write scales.
 */
function applyConflict(conflicts: Conflicts, target: ObjectTarget): StatusError {
  const scale = scaleSubresourceOf(target)
  const shown = scale && conflicts.map((one) => inVersion(one, apiVersionOf(scale.kind)))
  const { message, causes } = describeConflicts(shown ?? conflicts)
  return new StatusError('Conflict', message, {
    details: {
      causes: causes.map(({ message, field }) => ({
        reason: 'FieldManagerConflict',
        message,
        field,
      })),
    },
  })
}

function inVersion({ manager, fields }: Conflict, apiVersion: string): Conflict {
  return { manager: { ...manager, apiVersion }, fields }
}
