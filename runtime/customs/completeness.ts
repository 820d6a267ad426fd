import { required } from '../kernel/causes.ts'
import type { Finding } from '../kernel/read.ts'
import type { Steps } from '../kernel/turns.ts'
import type { Schema } from './schema.ts'

/** Whatever an alternative names must also stand in the structure outside of it. */
export function* completenessFindings(root: Schema, place: string): Steps<Finding[]> {
  const found: Finding[] = []
  const waiting: (readonly [Schema, string])[] = [[root, place]]
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const [schema, at] = one
    found.push(...valueFindings(schema, schema, at, at))
    if (schema.items) waiting.push([schema.items, `${at}.items`])
    for (const [name, child] of schema.properties) {
      waiting.push([child, `${at}.properties[${name}]`])
    }
    const more = schema.additionalProperties
    if (typeof more === 'object') waiting.push([more, `${at}.additionalProperties`])
    yield 1
  }
  return found
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
