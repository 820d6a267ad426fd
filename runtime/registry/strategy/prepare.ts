import { loadStrategies, type StrategyContext, strategiesOf } from '../../apis/apis.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import { runInSlices, type Steps, yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { generateObjectName } from '../../kernel/meta/names.ts'
import type { ApiObject, Metadata } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { valueAtPath } from '../../kernel/values/dotted-path.ts'
import type { Json } from '../../kernel/values/json.ts'
import { encodeJson, readObject } from '../../serializer/serializer.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { Target } from '../contract/contract.ts'
import { invalid } from '../contract/errors.ts'
import { runMutatingAdmission, runValidatingAdmission, type WriteAdmission } from './admission.ts'
import type { Draft } from './decode.ts'
import { dropDisabledFields, isDropped } from './drop-disabled-fields.ts'
import { mergeFieldErrors } from './field-errors.ts'
import {
  managedFieldsOf,
  managedFieldsOnCreate,
  managedFieldsOnUpdate,
  withManagedFields,
} from './managed-fields.ts'
import { dropDuplicateOwners, objectMetaWarnings, validateObjectMeta } from './object-meta.ts'
import {
  copyWritableFields,
  hasSubresource,
  isWritable,
  type WritableFields,
  writableFieldsOf,
} from './writable-fields.ts'

/**
 * Makes a decoded object a new one: identity, defaults, admission, initial status, checks, managers. What mutating plugins
 * set is managed by nobody. Fails with Invalid, or as admission refuses.
 */
export async function prepareCreate(
  context: RegistryContext,
  target: Target,
  draft: Draft,
  manager: string,
  way?: WriteAdmission,
): Promise<Draft> {
  const { kind } = target
  await loadStrategies(kind)
  const given = draft.object.metadata
  const name =
    given.name || (given.generateName ? generateObjectName(given.generateName, context.random) : '')
  const { deletionTimestamp, deletionGracePeriodSeconds, ...kept } = clientOwned(given)
  const identity = {
    name,
    uid: context.uid(),
    creationTimestamp: timestamp(context.clock.now()),
    ...(kind.generation && { generation: 1 }),
  }
  const rules = ruleContext(context)
  const metadata = { ...kept, ...identity }
  const fresh = young(kind, { ...draft, object: { ...draft.object, metadata } })
  refuseMany(kind, fresh)
  const asked = withDefaults(kind, fresh.object, rules)
  const admitted = await admittedNew(
    kind,
    { ...fresh, object: asked },
    given.name ?? '',
    rules,
    way,
  )
  if (draft.large) await yieldToEventLoop()
  let shaped: ApiObject = admitted.object
  for (const rule of strategiesOf(kind)) shaped = rule.prepareCreate?.(shaped, rules) ?? shaped
  const checked = await finish(context, target, { ...admitted, object: shaped })
  const finished = { ...checked, object: await withShare(context, target, checked.object) }
  if (draft.large) await yieldToEventLoop()
  const sent = withManagedFields(
    dropDisabledFields(context.gates, kind, asked).object,
    managedFieldsOf(draft.object),
  )
  const records = draft.managed ?? managedFieldsOnCreate(context, target, sent, manager)
  if (draft.large) await yieldToEventLoop()
  const object = withManagedFields(finished.object, records)
  await runValidatingAdmission(way, object)
  return { ...finished, object }
}

/** The object as the mutating plugins leave it. They see it before it has an identity, and give it none. */
async function admittedNew(
  kind: AnyKind,
  draft: Draft,
  name: string,
  rules: StrategyContext,
  way: WriteAdmission | undefined,
): Promise<Draft> {
  if (way === undefined) return draft
  const { uid, creationTimestamp, generation, name: given, ...metadata } = draft.object.metadata
  const shown = { ...draft.object, metadata: { ...metadata, ...(name && { name }) } }
  const changed = await runMutatingAdmission(way, shown)
  if (changed === shown) return draft
  const identified = (): Metadata => {
    const { namespace } = metadata
    const identity = omitAbsent({ uid, creationTimestamp, generation, name: given, namespace })
    const { deletionTimestamp, deletionGracePeriodSeconds, ...kept } = clientOwned(changed.metadata)
    return { ...kept, ...identity }
  }
  const same = changed.metadata === shown.metadata
  const object = { ...changed, metadata: same ? draft.object.metadata : identified() }
  const after = young(kind, { ...draft, object })
  return { ...settledFindings(after, shown), object: withDefaults(kind, after.object, rules) }
}

/** What the reader refused and a plugin has changed is no longer wrong because of that. */
function settledFindings(draft: Draft, before: ApiObject): Draft {
  if (draft.findings.length === 0) return draft
  const findings = draft.findings.filter(({ path }) => {
    const steps = path.replaceAll(/\[(.*?)\]/g, '.$1')
    return deepEqual(valueAtPath(before, steps), valueAtPath(draft.object, steps))
  })
  return { ...draft, findings }
}

/** A new object as it may begin: without a status, where that is a path of its own. */
function young(kind: AnyKind, draft: Draft): Draft {
  return hasSubresource(kind, 'status') && !kind.statusOnCreate ? unborn(draft) : draft
}

/** A new object without a status, and without what was wrong with the one that its sender gave. */
function unborn(draft: Draft): Draft {
  const { status, ...object } = draft.object as ApiObject & { readonly status?: unknown }
  return { ...draft, object, findings: seen(draft.findings, { keeps: ['status'] }) }
}

function seen(findings: readonly FieldError[], view: WritableFields): readonly FieldError[] {
  return findings.filter(({ path }) => isWritable(view, path))
}

/**
 * Makes a decoded object the successor of `old`, as the main path or a subresource allows. Fails with Invalid, or as
 * admission refuses.
 */
export async function prepareUpdate(
  context: RegistryContext,
  target: Target,
  draft: Draft,
  old: ApiObject,
  manager: string,
  way?: WriteAdmission,
): Promise<Draft> {
  const { kind, subresource } = target
  await loadStrategies(kind)
  const rules = ruleContext(context, subresource)
  const current = withoutVersion(old)
  const asked = kept(withDefaults(kind, draft.object, rules), current)
  const admitted = await admittedChange(kind, { ...draft, object: asked }, old, rules, way)
  if (draft.large) await yieldToEventLoop()
  const view = writableFieldsOf(kind, subresource)
  refuseMany(kind, { ...draft, findings: seen(draft.findings, view) })
  const shape = (given: ApiObject) => {
    let shaped = copyWritableFields(view, given, current)
    for (const rule of strategiesOf(kind)) {
      const prepare = subresource === undefined ? rule.prepareUpdate : rule.prepareSubresource
      shaped = prepare?.(shaped, current, rules) ?? shaped
    }
    return shaped
  }
  const findings = seen(admitted.findings, view)
  const finished = await finish(
    context,
    target,
    { ...admitted, object: shape(admitted.object), findings },
    current,
  )
  if (draft.large) await yieldToEventLoop()
  const filled = await withShare(context, target, finished.object, current)
  const object = withGeneration(kind, filled, current)
  if (draft.large) await yieldToEventLoop()
  const written =
    admitted.object === asked && filled === finished.object
      ? object
      : writtenOf(context, kind, shape(asked), current)
  const sent = managedFieldsOf(draft.object)
  const records =
    draft.managed ??
    managedFieldsOnUpdate(context, target, { old: current, object: written, sent, manager })
  if (draft.large) await yieldToEventLoop()
  const whole = withManagedFields(object, records)
  if (way !== undefined) await runValidatingAdmission(way, withVersionOf(old, whole), old)
  return { ...finished, object: whole }
}

/** The object with its share of the ranges that objects of its kind divide among them. */
async function withShare(
  { allocations: claims }: RegistryContext,
  { subresource }: Target,
  object: ApiObject,
  old?: ApiObject,
): Promise<ApiObject> {
  return claims === undefined || subresource !== undefined ? object : claims.allocate(object, old)
}

/** What a request alone, without the mutating plugins, would have stored. */
function writtenOf(
  { gates }: RegistryContext,
  kind: AnyKind,
  asked: ApiObject,
  old: ApiObject,
): ApiObject {
  const { object } = readObject(kind, asked as never)
  return dropDisabledFields(gates, kind, object, old).object
}

/** The object as the mutating plugins leave it; what the system owns stays as it is. */
async function admittedChange(
  kind: AnyKind,
  draft: Draft,
  old: ApiObject,
  rules: StrategyContext,
  way: WriteAdmission | undefined,
): Promise<Draft> {
  if (way === undefined) return draft
  const shown = withVersionOf(old, draft.object)
  const changed = await runMutatingAdmission(way, shown, old)
  if (changed === shown) return draft
  const object = kept(withDefaults(kind, changed, rules), withoutVersion(old))
  return settledFindings({ ...draft, object }, shown)
}

function withVersionOf({ metadata: { resourceVersion } }: ApiObject, object: ApiObject): ApiObject {
  return {
    ...object,
    metadata: { ...object.metadata, ...(resourceVersion && { resourceVersion }) },
  }
}

/** The object with what the system owns taken from the old one, where the client left it out or may not say it. */
function kept(object: ApiObject, old: ApiObject): ApiObject {
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds } = old.metadata
  const system = omitAbsent({
    uid,
    creationTimestamp,
    deletionTimestamp,
    deletionGracePeriodSeconds,
  })
  const given = omitAbsent(clientOwned(object.metadata))
  const { generation } = old.metadata
  const metadata = { ...system, ...given, ...omitAbsent({ generation }) }
  return { ...object, metadata }
}

function omitAbsent<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const present = Object.entries(fields).filter(
    ([, value]) => value !== undefined && value !== null,
  )
  return Object.fromEntries(present) as { [K in keyof T]: Exclude<T[K], undefined> }
}

/** The metadata without what no client can set. */
function clientOwned(metadata: Metadata): Metadata {
  const { resourceVersion, generation, selfLink, managedFields, ...rest } = metadata as Metadata & {
    readonly selfLink?: unknown
    readonly managedFields?: unknown
  }
  return rest
}

/** The object without its version: the form that is stored and compared. */
export function withoutVersion(object: ApiObject): ApiObject {
  const { resourceVersion, ...metadata } = object.metadata
  return { ...object, metadata }
}

function ruleContext(
  { scheme, clock, gates }: RegistryContext,
  subresource?: string,
): StrategyContext {
  return { platform: scheme.platform, now: clock.now(), gates, ...(subresource && { subresource }) }
}

function withDefaults(kind: AnyKind, object: ApiObject, context: StrategyContext): ApiObject {
  let result = object
  for (const rule of strategiesOf(kind)) result = rule.defaults?.(result, context) ?? result
  return result
}

/** An object of which the reader alone finds so much is refused without asking anybody else. */
const enough = 1000

function refuseMany(kind: AnyKind, { object, findings }: Draft): void {
  if (findings.length < enough) return
  throw invalid(kind, object.metadata.name ?? '', mergeFieldErrors([], findings, []))
}

/** Puts the object into its canonical form and fails with Invalid if anything is wrong with it. */
async function finish(
  context: RegistryContext,
  { kind, subresource }: Target,
  draft: Draft,
  old?: ApiObject,
): Promise<Draft> {
  const owners = dropDuplicateOwners(draft.object.metadata)
  const { object: whole, report } = readObject(kind, {
    ...draft.object,
    metadata: owners.metadata,
  } as unknown as Json)
  if (draft.large) await yieldToEventLoop()
  const gating = dropDisabledFields(context.gates, kind, whole, old)
  const { object } = gating
  const rules = ruleContext(context, subresource)
  const asked = report.errors.length < enough ? strategiesOf(kind) : []
  const counts = old && kind.customResource?.ratchet?.(object, old)
  const heeded = (one: FieldError) => !isDropped(gating, one.path) && (counts?.(one) ?? true)
  const [given, found] = [draft.findings.filter(heeded), report.errors.filter(heeded)]
  const wrong = [...report.typeErrors, ...given, ...found]
  const judging = { ...rules, malformed: wrong.some(({ reason }) => blocking.has(reason)) }
  const long = [
    ...asked.flatMap((rule) => rule.validateInSteps?.(object, old, judging) ?? []),
    ...expressed(kind, object, old, [...given, ...found]),
  ]
  if (draft.large && long.length > 0) await yieldToEventLoop()
  const examined = long.length === 0 ? [] : await runInSlices(inOrder(long))
  const findings = mergeFieldErrors(
    validateObjectMeta(kind, object.metadata, old?.metadata),
    given.filter(({ path }) => !path.startsWith('metadata.managedFields')),
    [
      ...report.typeErrors,
      ...found,
      ...asked.flatMap((rule) => rule.validate?.(object, old, judging) ?? []),
      ...examined,
    ],
  )
  if (findings.length > 0) throw invalid(kind, object.metadata.name ?? '', findings)
  const warnings = [
    ...draft.warnings,
    ...objectMetaWarnings(object.metadata, context.scheme.platform.brand),
    ...strategiesOf(kind).flatMap((rule) => rule.warn?.(object, old, rules) ?? []),
    ...owners.dropped.map(
      (uid) =>
        `.metadata.ownerReferences contains duplicate entries, which were dropped; duplicate UID(s) observed: ${uid}`,
    ),
  ]
  return { object, findings: [], warnings }
}

/** Findings after which nobody knows what an expression would be looking at. */
const blocking: ReadonlySet<string> = new Set([
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

/** What a kind that was defined at run time checks by expressions, if the object has the form that they rely on. */
function expressed(
  { customResource: custom }: AnyKind,
  object: ApiObject,
  old: ApiObject | undefined,
  found: readonly FieldError[],
): readonly Steps<readonly FieldError[]>[] {
  if (custom?.check === undefined) return []
  const blocked = found.some(({ reason }) => blocking.has(reason))
  return [blocked ? unchecked() : custom.check(object, old)]
}

/** What all of them find, one after the other. */
function* inOrder(all: readonly Steps<readonly FieldError[]>[]): Steps<readonly FieldError[]> {
  const found: FieldError[] = []
  for (const one of all) found.push(...(yield* one))
  return found
}

// biome-ignore lint/correctness/useYield: it takes no time
function* unchecked(): Steps<readonly FieldError[]> {
  const why =
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'
  return [{ path: '', reason: 'FieldValueInvalid', message: `Invalid value: null: ${why}` }]
}

function withGeneration(kind: AnyKind, object: ApiObject, old: ApiObject): ApiObject {
  const generation = old.metadata.generation ?? 0
  if ((!kind.generation && generation === 0) || sameIntent(kind, object, old)) return object
  return { ...object, metadata: { ...object.metadata, generation: generation + 1 } }
}

/** True if two canonical objects differ in metadata at most, and in a status that is written apart. */
function sameIntent(kind: AnyKind, a: ApiObject, b: ApiObject): boolean {
  const apart = kind.customResource === undefined || hasSubresource(kind, 'status')
  const intent = (object: ApiObject) =>
    encodeJson({ ...object, metadata: undefined, ...(apart && { status: undefined }) }) as Buffer
  return intent(a).equals(intent(b))
}
