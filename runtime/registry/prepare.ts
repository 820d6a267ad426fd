import { encode, readObject } from '../codec/codec.ts'
import type { Json } from '../kernel/json.ts'
import type { AnyKind } from '../kernel/kind.ts'
import { generatedName } from '../kernel/names.ts'
import type { ApiObject, Metadata } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { timestamp } from '../kernel/time.ts'
import { type RuleContext, rulesOf } from '../kinds/kinds.ts'
import type { Context } from './context.ts'
import type { Draft } from './decode.ts'
import { invalid } from './errors.ts'
import { collected } from './findings.ts'
import { recordsIn, recordsOfChanged, recordsOfNew, withRecords } from './managed.ts'
import { metadataFindings, metadataWarnings, uniqueOwners } from './metadata.ts'
import type { Target } from './registry.ts'
import { hasSubresource, reaches, throughView, type View, viewOf } from './view.ts'

/** Makes a decoded object a new one: identity, defaults, initial status, checks, managers. Fails with Invalid. */
export function prepareCreate(
  context: Context,
  target: Target,
  draft: Draft,
  manager: string,
): Draft {
  const { kind } = target
  const given = draft.object.metadata
  const name =
    given.name || (given.generateName ? generatedName(given.generateName, context.random) : '')
  const { deletionTimestamp, deletionGracePeriodSeconds, ...kept } = clientOwned(given)
  const metadata = {
    ...kept,
    name,
    uid: context.uid(),
    creationTimestamp: timestamp(context.clock.now()),
    ...(kind.generation && { generation: 1 }),
  }
  const rules = ruleContext(context)
  const whole = { ...draft, object: { ...draft.object, metadata } }
  const fresh = hasSubresource(kind, 'status') && !kind.statusOnCreate ? unborn(whole) : whole
  const asked = withDefaults(kind, fresh.object, rules)
  let shaped: ApiObject = asked
  for (const rule of rulesOf(kind)) shaped = rule.prepareCreate?.(shaped, rules) ?? shaped
  const finished = finish(context, target, { ...fresh, object: shaped })
  const sent = withRecords(asked, recordsIn(draft.object))
  const records = draft.managed ?? recordsOfNew(context, target, sent, manager)
  return { ...finished, object: withRecords(finished.object, records) }
}

/** A new object without a status, and without what was wrong with the one that its sender gave. */
function unborn(draft: Draft): Draft {
  const { status, ...object } = draft.object as ApiObject & { readonly status?: unknown }
  return { ...draft, object, findings: seen(draft.findings, { keeps: ['status'] }) }
}

function seen(findings: readonly Finding[], view: View): readonly Finding[] {
  return findings.filter(({ path }) => reaches(view, path))
}

/** Makes a decoded object the successor of `old`, as the main path or a subresource allows. Fails with Invalid. */
export function prepareUpdate(
  context: Context,
  target: Target,
  draft: Draft,
  old: ApiObject,
  manager: string,
): Draft {
  const { kind, subresource } = target
  const rules = ruleContext(context, subresource)
  const current = withoutVersion(old)
  const given = kept(withDefaults(kind, draft.object, rules), current)
  const view = viewOf(kind, subresource)
  let shaped = throughView(view, given, current)
  for (const rule of rulesOf(kind)) {
    const shape = subresource === undefined ? rule.prepareUpdate : rule.prepareSubresource
    shaped = shape?.(shaped, current, rules) ?? shaped
  }
  const findings = seen(draft.findings, view)
  const finished = finish(context, target, { ...draft, object: shaped, findings }, current)
  const object = withGeneration(kind, finished.object, current)
  const sent = recordsIn(draft.object)
  const records =
    draft.managed ?? recordsOfChanged(context, target, { old: current, object, sent, manager })
  return { ...finished, object: withRecords(object, records) }
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

function ruleContext({ tree, clock }: Context, subresource?: string): RuleContext {
  return { platform: tree.platform, now: clock.now(), ...(subresource && { subresource }) }
}

function withDefaults(kind: AnyKind, object: ApiObject, context: RuleContext): ApiObject {
  let result = object
  for (const rule of rulesOf(kind)) result = rule.defaults?.(result, context) ?? result
  return result
}

/** An object of which the reader alone finds so much is refused without asking the rules of its kind. */
const enough = 1000

/** Puts the object into its canonical form and fails with Invalid if anything is wrong with it. */
export function finish(
  context: Context,
  { kind, subresource }: Target,
  draft: Draft,
  old?: ApiObject,
): Draft {
  const owners = uniqueOwners(draft.object.metadata)
  const { object, report } = readObject(kind, {
    ...draft.object,
    metadata: owners.metadata,
  } as unknown as Json)
  const rules = ruleContext(context, subresource)
  const asked = report.findings.length < enough ? rulesOf(kind) : []
  const findings = collected(
    metadataFindings(kind, object.metadata, old?.metadata),
    draft.findings.filter(({ path }) => !path.startsWith('metadata.managedFields')),
    [
      ...report.types,
      ...report.findings,
      ...asked.flatMap((rule) => rule.validate?.(object, old, rules) ?? []),
      ...expressed(kind, object, old, [...draft.findings, ...report.findings]),
    ],
  )
  if (findings.length > 0) throw invalid(kind, object.metadata.name ?? '', findings)
  const warnings = [
    ...draft.warnings,
    ...metadataWarnings(object.metadata, context.tree.platform.brand),
    ...rulesOf(kind).flatMap((rule) => rule.warn?.(object, old, rules) ?? []),
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
  { custom }: AnyKind,
  object: ApiObject,
  old: ApiObject | undefined,
  found: readonly Finding[],
): readonly Finding[] {
  if (custom?.check === undefined) return []
  if (!found.some(({ reason }) => blocking.has(reason))) return custom.check(object, old)
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
  const apart = kind.custom === undefined || hasSubresource(kind, 'status')
  const intent = (object: ApiObject) =>
    encode({ ...object, metadata: undefined, ...(apart && { status: undefined }) }) as Buffer
  return intent(a).equals(intent(b))
}
