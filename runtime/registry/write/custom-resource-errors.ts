import { runInSlices, yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { CustomResourceFacts } from '../../kernel/descriptors/kind.ts'
import { newMetadataErrors, updatedMetadataErrors } from '../../kernel/meta/metadata-errors.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { errorsInPasses } from '../strategy/error-passes.ts'
import { mergeFieldErrors } from '../strategy/field-errors.ts'
import { withoutManagedFields } from '../strategy/managed-fields.ts'
import type { ObjectWrite } from './object-write.ts'

/** What was found wrong with a custom resource so far. */
export interface FoundErrors {
  readonly typeErrors: readonly FieldError[]
  /** What the first reader refused; of a custom resource only the errors of the metadata count. */
  readonly firstErrors: readonly FieldError[]
  /** What the reader of the canonical form refused. */
  readonly readErrors: readonly FieldError[]
}

/**
 * Every field error of a custom resource: of its metadata, its schema, and its rules. Only the object that would be stored is
 * judged, whatever the sender wrote where this request writes nothing. Rules see no managed fields: those of a write are told later.
 */
export async function customResourceErrors(
  { target, draft }: ObjectWrite,
  custom: CustomResourceFacts,
  object: ApiObject,
  found: FoundErrors,
  old: ApiObject | undefined,
): Promise<readonly FieldError[]> {
  const { kind, subresource } = target as typeof target & { readonly subresource?: string }
  const metadata =
    old === undefined
      ? newMetadataErrors(kind.nameFormat, object.metadata)
      : updatedMetadataErrors(kind.nameFormat, object.metadata, old.metadata)
  const content = [
    ...mergeFieldErrors(
      metadata,
      found.firstErrors.filter(isOfMetadata).filter(({ path }) => !path.startsWith(managedFields)),
      [
        ...found.typeErrors,
        ...(subresource === 'status' ? [] : found.readErrors.filter(isOfMetadata)),
      ],
    ).slice(metadata.length),
    ...custom.fieldErrors(
      object,
      found.readErrors.filter((error) => !isOfMetadata(error)),
      { old, subresource },
    ),
  ]
  const told = { kind, metadata: object.metadata, old: old?.metadata }
  const errors = metadata.length + content.length === 0 ? [] : errorsInPasses({ ...told, content })
  if (custom.check === undefined) return errors
  if (errors.some(blocksRules)) return [...errors, rulesNotChecked]
  if (draft.large) await yieldToEventLoop()
  const former = old && withoutManagedFields(old)
  return [...errors, ...(await runInSlices(custom.check(withoutManagedFields(object), former)))]
}

const managedFields = 'metadata.managedFields'

function isOfMetadata({ path }: FieldError): boolean {
  return path === 'metadata' || path.startsWith('metadata.')
}

/** Errors after which the values that a rule looks at may be absent or of another type. */
const blockingReasons: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

function blocksRules({ reason }: FieldError): boolean {
  return blockingReasons.has(reason)
}

const rulesNotChecked: FieldError = {
  path: '',
  reason: 'FieldValueInvalid',
  message:
    'Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
}
