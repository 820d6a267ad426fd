import { required } from '../kernel/causes.ts'
import type { Finding } from '../kernel/read.ts'
import type { Steps } from '../kernel/turns.ts'
import { alternativesOf, mostFindings, type Schema } from './schema.ts'

/** Whatever an alternative names must also stand in the structure outside of it. */
export function* completenessFindings(root: Schema, place: string): Steps<Finding[]> {
  const found: Finding[] = []
  const waiting: (readonly [Schema, string])[] = [[root, place]]
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const [schema, at] = one
    yield* inAlternatives(schema, schema, at, at, found)
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
function* inAlternatives(
  value: Schema,
  outside: Schema,
  place: string,
  at: string,
  found: Finding[],
): Steps<void> {
  for (const { step, schema } of alternativesOf(value)) {
    yield* inNested(schema, outside, place, `${at}.${step}`, found)
  }
}

function* inNested(
  value: Schema,
  outside: Schema | undefined,
  place: string,
  at: string,
  found: Finding[],
): Steps<void> {
  if (found.length >= mostFindings) return
  yield 1
  if (outside === undefined) {
    found.push(required(place, `because it is defined in ${at}`))
    return
  }
  yield* inAlternatives(value, outside, place, at, found)
  if (value.items) {
    yield* inNested(value.items, outside.items, `${place}.items`, `${at}.items`, found)
  }
  for (const [name, one] of value.properties) {
    const step = `.properties[${name}]`
    yield* inNested(one, outside.properties.get(name), `${place}${step}`, `${at}${step}`, found)
  }
}
