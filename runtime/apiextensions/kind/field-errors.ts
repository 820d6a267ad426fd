import type { CustomResourceSubresourceScale } from '../../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
import type { CustomResourceFacts } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { createReport, type FieldError } from '../../kernel/validation/field-error.ts'
import { type Ratchet, ratchetOf } from '../reader/ratchet.ts'
import type { RootReader } from '../reader/root.ts'
import { notAnObjectInMap } from '../reader/unique-items.ts'
import type { Schema } from '../schema/schema.ts'
import { scaleSpecErrors, scaleStatusErrors } from './scale-errors.ts'

/** What decides about the errors of an object of a version. */
export interface FieldErrorOptions {
  readonly scale: CustomResourceSubresourceScale | undefined
  /** True if an update may leave errors in values that it does not change (C-30). */
  readonly ratcheting: boolean
}

/**
 * The errors of an object that is written: of its schema, its scale and its lists, in this order. A
 * write of the status is held to the schema of the status, and its paths begin there. Lists whose
 * items were not unique before need not become so.
 */
export function fieldErrorsOf(
  schema: Schema,
  root: RootReader,
  { scale, ratcheting }: FieldErrorOptions,
): CustomResourceFacts['fieldErrors'] {
  const ratchet = ratcheting ? ratchetOf(schema, root.reader) : undefined
  return (object, found, { old, subresource }) => {
    const lists = found.some(isOfList) && !hasListErrors(root, old) ? found.filter(isOfList) : []
    if (subresource === 'status') {
      const errors = found.length === 0 ? found : root.statusErrors(object)
      return [...withoutRepeats(errors), ...scaleStatusErrors(object, scale), ...lists]
    }
    const errors = found.filter((error) => !isOfList(error))
    return [
      ...withoutRepeats(counted(errors, object, old, ratchet)),
      ...scaleSpecErrors(object, scale),
      ...scaleStatusErrors(object, scale),
      ...lists,
    ]
  }
}

/** Nothing else of a schema asks for unique values, or for objects in these words. */
function isOfList({ reason, message }: FieldError): boolean {
  return reason === 'FieldValueDuplicate' || message.endsWith(notAnObjectInMap)
}

function hasListErrors({ reader }: RootReader, old: ApiObject | undefined): boolean {
  if (old === undefined) return false
  const report = createReport()
  reader()(old, report)
  return report.errors.some((error) => isOfList(error) && !error.path.startsWith('metadata'))
}

function counted(
  errors: readonly FieldError[],
  object: ApiObject,
  old: ApiObject | undefined,
  ratchet: Ratchet | undefined,
): readonly FieldError[] {
  if (errors.length === 0 || old === undefined || ratchet === undefined) return errors
  return errors.filter(ratchet(object, old))
}

function withoutRepeats(errors: readonly FieldError[]): readonly FieldError[] {
  if (errors.length < 2) return errors
  const texts = new Set<string>()
  return errors.filter(({ path, message }) => {
    const text = `${path}: ${message}`
    if (texts.has(text)) return false
    texts.add(text)
    return true
  })
}
