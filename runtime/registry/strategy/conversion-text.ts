import type { FieldError } from '../../kernel/validation/field-error.ts'

/** Go's kinds of the JSON types that readers name. */
const kinds: Readonly<Record<string, string>> = { array: 'slice', number: 'int64', object: 'map' }

/**
 * Why a value of the wrong type could not be put into an object, in the words that clients know of strategic merge patches:
 * `cannot restore map from string`.
 */
export function conversionText({ message }: FieldError): string {
  const parts = /^json: cannot unmarshal (.*) into (?:field .*|a value) of type (.*)$/s.exec(
    message,
  )
  if (parts === null) return message
  const [, got = '', want = ''] = parts
  const kind = kinds[got] ?? got
  if (want === 'object') return `cannot restore struct from: ${kind}`
  if (want === 'map') return `cannot restore map from ${kind}`
  if (want === 'array') return `cannot restore slice from ${kind}`
  if (want === 'string' && got === 'number') return 'cannot convert int64 to string'
  if (got.startsWith('number ')) return `cannot convert float64 to ${want}`
  if (want === 'string') return 'unrecognized type: string'
  if (want === 'boolean') return 'unrecognized type: bool'
  return want === 'integer' ? 'unrecognized type: int32' : message
}
