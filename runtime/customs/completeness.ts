import { required } from '../kernel/causes.ts'
import type { Finding } from '../kernel/read.ts'
import type { Schema } from './schema.ts'

/** Whatever an alternative names must also stand in the structure outside of it. */
export function completenessFindings(schema: Schema, place: string): Finding[] {
  const found: Finding[] = []
  collect(schema, place, found)
  return found
}

function collect(schema: Schema, place: string, found: Finding[]): void {
  found.push(...valueFindings(schema, schema, place, place))
  if (schema.items) collect(schema.items, `${place}.items`, found)
  for (const [name, one] of schema.properties) collect(one, `${place}.properties[${name}]`, found)
  const more = schema.additionalProperties
  if (typeof more === 'object') collect(more, `${place}.additionalProperties`, found)
}

/** The alternatives of `value`, held against the structure `outside` that stands at `place`. */
function valueFindings(value: Schema, outside: Schema, place: string, at: string): Finding[] {
  const { allOf, anyOf, oneOf, not } = value
  if (not === undefined && allOf.length + anyOf.length + oneOf.length === 0) return []
  const each = (word: string, list: readonly Schema[]): Finding[] =>
    list.flatMap((one, index) => nestedFindings(one, outside, place, `${at}.${word}[${index}]`))
  return [
    ...each('allOf', value.allOf),
    ...each('anyOf', value.anyOf),
    ...each('oneOf', value.oneOf),
    ...(value.not ? nestedFindings(value.not, outside, place, `${at}.not`) : []),
  ]
}

function nestedFindings(
  value: Schema,
  outside: Schema | undefined,
  place: string,
  at: string,
): Finding[] {
  if (outside === undefined) return [required(place, `because it is defined in ${at}`)]
  const found = valueFindings(value, outside, place, at)
  if (value.items) {
    found.push(...nestedFindings(value.items, outside.items, `${place}.items`, `${at}.items`))
  }
  for (const [name, one] of value.properties) {
    const step = `.properties[${name}]`
    found.push(
      ...nestedFindings(one, outside.properties.get(name), `${place}${step}`, `${at}${step}`),
    )
  }
  return found
}
