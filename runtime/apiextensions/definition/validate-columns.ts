import type { CustomResourceColumnDefinition } from '../../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { invalid, required } from '../../kernel/validation/field-errors.ts'

/** The types and formats that clients know how to print. */
const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

/**
 * The errors of printer columns. Unlike the formats of schemas, of which unknown ones are ignored
 * (C-11), those of columns are a closed list (C-18). Of a path only its first character is judged:
 * cells of one that leads nowhere are empty.
 */
export function validateColumns(
  columns: readonly CustomResourceColumnDefinition[] | undefined,
  path: string,
): readonly FieldError[] {
  return (columns ?? []).flatMap((column, index) => validateColumn(column, `${path}[${index}]`))
}

function validateColumn(column: CustomResourceColumnDefinition, path: string): FieldError[] {
  const { name, type, format, jsonPath } = column
  const errors: FieldError[] = []
  if (!name) errors.push(required(`${path}.name`))
  const knownTypes = `must be one of ${columnTypes.join(',')}`
  if (!type) errors.push(required(`${path}.type`, knownTypes))
  else if (!columnTypes.includes(type)) errors.push(invalid(`${path}.type`, type, knownTypes))
  if (format && !columnFormats.includes(format)) {
    errors.push(invalid(`${path}.format`, format, `must be one of ${columnFormats.join(',')}`))
  }
  if (!jsonPath) errors.push(required(`${path}.JSONPath`))
  else if (!jsonPath.startsWith('.')) {
    const reason = 'must be a simple json path starting with .'
    errors.push(invalid(`${path}.JSONPath`, jsonPath, reason))
  }
  return errors
}
