import { isObject, type Json } from '../../kernel/values/json.ts'
import { numberText } from '../../kernel/values/number-text.ts'

/** The Go type of a decoded JSON value, as messages of the public API name it. */
export function goTypeOf(value: Json): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return '[]interface {}'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'int64'
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int64' : 'float64'
  return typeof value === 'string' ? 'string' : 'map[string]interface {}'
}

/** A decoded JSON value as Go prints it by default: `map[a:1]`, `[1 2]`, texts without quotes. */
export function goValueText(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${(value as Json[]).map(goValueText).join(' ')}]`
  if (typeof value === 'number') return numberText(value)
  if (!isObject(value)) return String(value)
  const fields = Object.keys(value).sort()
  return `map[${fields.map((key) => `${key}:${goValueText(value[key])}`).join(' ')}]`
}
