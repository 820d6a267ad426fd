/** Field errors of options that more than one verb has. */
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { quoted } from '../../kernel/values/quoted.ts'

/** Field errors of the values of `dryRun`: All and the empty text are the only ones. */
export function dryRunErrors(values: readonly string[]): readonly FieldError[] {
  if (values.every((value) => value === 'All' || value === '')) return []
  const shown = values.map((value) => quoted(value)).join(', ')
  const message = `Unsupported value: []string{${shown}}: supported values: "All"`
  return [{ path: 'dryRun', reason: 'FieldValueNotSupported', message }]
}

/** The field error of an option that has none of its few values. */
export function unsupportedValue(
  path: string,
  value: string,
  known: readonly string[],
): FieldError {
  const list = known.map((one) => quoted(one)).join(', ')
  return {
    path,
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${quoted(value)}: supported values: ${list}`,
  }
}
