import type { FieldError } from '../../kernel/validation/field-error.ts'
import { invalid } from '../../kernel/validation/field-errors.ts'
import type { Json } from '../../kernel/values/json.ts'
import type { Schema } from '../schema/schema.ts'

/** The keywords that keep the schema of the status from standing for itself, were they at the root. */
const keywords = [
  'id',
  '$schema',
  '$ref',
  'nullable',
  'enum',
  'maxProperties',
  'minProperties',
  'allOf',
  'oneOf',
  'anyOf',
  'not',
  'additionalProperties',
  'patternProperties',
  'dependencies',
  'additionalItems',
  'definitions',
  'default',
]

/** Keywords for which false is a value and not the absence of one. */
const mayBeFalse: ReadonlySet<string> = new Set([
  'default',
  'additionalProperties',
  'additionalItems',
])

const extensionKeywords = [
  'embedded-resource',
  'int-or-string',
  'list-map-keys',
  'list-type',
  'map-type',
]

const allowedFields =
  '[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations]'

/** The error of a root that says more than a version with a status subresource may say there: at most one. */
export function validateStatusRoot(
  { raw, type }: Schema,
  path: string,
  extension: string,
): readonly FieldError[] {
  const isSet = (keyword: string): boolean =>
    hasValue(raw[keyword]) || (raw[keyword] === false && mayBeFalse.has(keyword))
  const isEarly = keywords.slice(0, 3).some(isSet)
  if (!isEarly && type !== '' && type !== 'object') {
    const reason =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
    return [invalid(`${path}.type`, type, reason)]
  }
  const extensions = extensionKeywords.map((keyword) => `x-${extension}-${keyword}`)
  if (!isEarly && ![...keywords, ...extensions].some(isSet)) return []
  const reason = `only ${allowedFields} fields are allowed at the root of the schema if the status subresource is enabled`
  return [invalid(path, raw, reason)]
}

function hasValue(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== false && value !== ''
}
