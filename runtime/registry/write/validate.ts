/**
 * Brings an object into its canonical form and checks all of it, at once: a sender gets every field error in one answer.
 *
 * The reader prunes, orders and checks types and formats; strategies check what the schema cannot say; of custom resources their
 * definition says what counts.
 */
import { runInSlices, type Steps, yieldToEventLoop } from '../../kernel/async/slices.ts'
import { storedKind } from '../../kernel/descriptors/kind.ts'
import {
  finalizerWarnings,
  newMetadataErrors,
  updatedMetadataErrors,
} from '../../kernel/meta/metadata-errors.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { Reading } from '../../kernel/validation/reading.ts'
import type { Json } from '../../kernel/values/json.ts'
import { readObject } from '../../serializer/serializer.ts'
import { invalid } from '../contract/errors.ts'
import { withWarnings } from '../strategy/admission.ts'
import { dropDisabledFields, isDropped } from '../strategy/drop-disabled-fields.ts'
import { distinctOwnersAfterAdmission } from '../strategy/duplicate-owners.ts'
import { orderedErrors } from '../strategy/error-order.ts'
import { errorsInPasses } from '../strategy/error-passes.ts'
import { mergeFieldErrors, textOf } from '../strategy/field-errors.ts'
import { type MalformedMetadata, restateMetadataError } from '../strategy/type-refusal.ts'
import { isWritable, writableFieldsOf } from '../strategy/writable-fields.ts'
import { refuseAllocation } from './allocate.ts'
import { customResourceErrors } from './custom-resource-errors.ts'
import type { ObjectUpdate, ObjectWrite } from './object-write.ts'
import { maxReaderErrors } from './refuse-too-many-errors.ts'

/** Hands on the canonical object. @throws StatusError Invalid with everything that is wrong with it. */
export async function validateObject<W extends ObjectWrite>(write: W): Promise<W> {
  const { target, draft, strategy, name } = write
  if (draft.refusal !== undefined) throw draft.refusal
  const old = oldOf(write)
  const canonical = canonicalForm(write, old)
  const { object } = canonical
  if (draft.large) await yieldToEventLoop()
  const errors = await fieldErrorsOf(write, canonical, old)
  const owners = canonical.ownerWarnings
  if (errors.length > 0) {
    await withWarnings([...write.warnings, ...owners], async () => {
      if (!errors.some((error) => error.first)) await refuseAllocation(write)
      throw invalid(storedKind(target.kind), name, errors)
    })
  }
  const warnings = [
    ...write.warnings,
    ...(target.kind.customResource
      ? finalizerWarnings(object.metadata, old?.metadata, write.context.scheme.platform.brand)
      : []),
    ...strategy.warn(object, old),
    ...owners,
  ]
  return { ...write, object, fieldErrors: [], warnings }
}

function oldOf(write: ObjectWrite): ApiObject | undefined {
  return (write as Partial<ObjectUpdate>).old
}

/** The canonical object, with the errors of reading it. */
interface Canonical {
  readonly object: ApiObject
  /** Values of a wrong type. */
  readonly typeErrors: readonly FieldError[]
  /** What the first reader refused, as far as it counts for the canonical object. */
  readonly firstErrors: readonly FieldError[]
  /** What the reader of the canonical form refuses, as far as it counts. */
  readonly readErrors: readonly FieldError[]
  /** True if the reader refused so much that strategies do not run. */
  readonly hopeless: boolean
  /** The metadata of an embedded resource that one of `readErrors` is about. */
  readonly malformedMetadata: MalformedMetadata | undefined
  /** What is said of owner references that stood twice. */
  readonly ownerWarnings: readonly string[]
}

/**
 * Reads the object again: plugins and strategies may have left anything. Errors at fields of disabled gates do not count,
 * and of a write of the status none that it did not bring.
 */
function canonicalForm(write: ObjectWrite, old: ApiObject | undefined): Canonical {
  const { kind } = write.target
  const { metadata, warnings: ownerWarnings } = distinctOwnersAfterAdmission(write.object.metadata)
  const given = { ...write.object, metadata } as unknown as Json
  const applied = write.draft.managed !== undefined
  const { object: whole, report } = readObject(kind, given, false, applied)
  const enabled = dropDisabledFields(write.context.gates, kind, whole, old)
  const { object } = enabled
  const written = writableFieldsOf(kind, write.target.subresource)
  const counts = (error: FieldError) =>
    !isDropped(enabled, error.path) &&
    (write.target.subresource !== 'status' || isWritable(written, error.path))
  return {
    object,
    typeErrors: report.typeErrors,
    firstErrors: write.fieldErrors.filter(counts),
    readErrors: report.errors.filter(counts),
    hopeless: report.errors.length >= maxReaderErrors,
    ownerWarnings,
    malformedMetadata: report.malformedMetadata,
  }
}

/** Every field error, each once. Checks that may take milliseconds run in slices. */
async function fieldErrorsOf(
  write: ObjectWrite,
  canonical: Canonical,
  old: ApiObject | undefined,
): Promise<readonly FieldError[]> {
  const { target, draft, strategy } = write
  const { object, typeErrors, firstErrors, readErrors, hopeless } = canonical
  const { kind } = target
  if (kind.customResource !== undefined) {
    const { malformedMetadata: malformed } = canonical
    const { scheme } = write.context
    const told = malformed
      ? { ...canonical, readErrors: await restateMetadataError(scheme, malformed, readErrors) }
      : canonical
    return customResourceErrors(write, kind.customResource, object, told, old)
  }
  const malformed = [...typeErrors, ...firstErrors, ...readErrors].some(isMalformed)
  const reading = new Reading([...firstErrors, ...readErrors])
  const inSteps = hopeless ? [] : strategy.validateInSteps(object, old, malformed, reading)
  if (draft.large && inSteps.length > 0) await yieldToEventLoop()
  const slowErrors = inSteps.length === 0 ? [] : await runInSlices(allOf(inSteps))
  const metadata = metadataErrors(write, object, old)
  const judged = hopeless ? [] : strategy.validate(object, old, malformed, reading)
  const found = mergeFieldErrors(
    metadata,
    reading.toldOf(firstErrors.filter(({ path }) => !path.startsWith('metadata.managedFields'))),
    reading.toldOf([...typeErrors, ...readErrors]),
    [...judged, ...slowErrors],
  )
  const first = found.filter((error) => error.first)
  if (found.length === 0 || first.length > 0) {
    return orderedErrors(write.context.scheme, kind, first)
  }
  const asNew =
    old && judged.length > 0 ? strategy.validate(object, undefined, malformed, reading) : judged
  return errorsInPasses({
    kind,
    subresource: target.subresource,
    metadata: object.metadata,
    old: old?.metadata,
    brand: ownBrand(write),
    ...changesApart(
      await orderedErrors(write.context.scheme, kind, found.slice(metadata.length)),
      judged,
      asNew,
    ),
  })
}

/** Errors in those that a new object would have too, and those that come from what the object was. */
function changesApart(
  found: readonly FieldError[],
  judged: readonly FieldError[],
  asNew: readonly FieldError[],
): { readonly content: readonly FieldError[]; readonly changes: readonly FieldError[] } {
  const known = new Set(asNew.map(textOf))
  const changes = new Set(judged.filter((error) => error.again || !known.has(textOf(error))))
  return {
    content: found.filter((error) => !changes.has(error)),
    changes: found.filter((error) => changes.has(error)),
  }
}

/** What is wrong with the metadata of an object, each thing once. */
function metadataErrors(
  write: ObjectWrite,
  { metadata }: ApiObject,
  old: ApiObject | undefined,
): readonly FieldError[] {
  const { nameFormat } = write.target.kind
  return old === undefined
    ? newMetadataErrors(nameFormat, metadata, ownBrand(write))
    : updatedMetadataErrors(nameFormat, metadata, old.metadata, ownBrand(write))
}

/** The brand of the platform, for the kinds whose finalizers it knows. */
function ownBrand({ context, target }: ObjectWrite): string | undefined {
  return target.kind.anyFinalizer ? undefined : context.scheme.platform.brand
}

/** Errors after which the values that an expression looks at may be absent or of another type. */
const malformedReasons: ReadonlySet<string> = new Set([
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

function isMalformed({ reason }: FieldError): boolean {
  return malformedReasons.has(reason)
}

/** The errors of all checks, one check after the other. */
function* allOf(checks: readonly Steps<readonly FieldError[]>[]): Steps<readonly FieldError[]> {
  const errors: FieldError[] = []
  for (const check of checks) errors.push(...(yield* check))
  return errors
}
