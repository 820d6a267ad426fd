import type { Steps } from '../../kernel/async/slices.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { required } from '../../kernel/validation/field-errors.ts'
import { alternativeSchemas, maxSchemaErrors, type Schema } from './schema.ts'

/** Whatever an alternative names must also stand in the structure outside of it. */
export function* validateCompleteness(root: Schema, place: string): Steps<FieldError[]> {
  const found: FieldError[] = []
  const waiting: (readonly [Schema, string])[] = [[root, place]]
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const [schema, at] = one
    yield* validateAlternatives(schema, schema, at, at, found)
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
function* validateAlternatives(
  value: Schema,
  outside: Schema,
  place: string,
  at: string,
  found: FieldError[],
): Steps<void> {
  for (const { step, schema } of alternativeSchemas(value)) {
    yield* validateNested(schema, outside, place, `${at}.${step}`, found)
  }
}

function* validateNested(
  value: Schema,
  outside: Schema | undefined,
  place: string,
  at: string,
  found: FieldError[],
): Steps<void> {
  if (found.length >= maxSchemaErrors) return
  yield 1
  if (outside === undefined) {
    found.push(required(place, `because it is defined in ${at}`))
    return
  }
  yield* validateAlternatives(value, outside, place, at, found)
  if (value.items) {
    yield* validateNested(value.items, outside.items, `${place}.items`, `${at}.items`, found)
  }
  for (const [name, one] of value.properties) {
    const step = `.properties[${name}]`
    yield* validateNested(
      one,
      outside.properties.get(name),
      `${place}${step}`,
      `${at}${step}`,
      found,
    )
  }
}
