import { define } from '../../kernel/values/define-property.ts'
import type { Json } from '../../kernel/values/json.ts'
import type { LocatedValue } from '../../serializer/serializer.ts'

/** A value without positions. */
export function plainValue<Place>(node: LocatedValue<Place>): Json {
  if (node.is === 'scalar') return node.value
  if (node.is === 'list') return node.items.map(plainValue)
  const result: Record<string, Json> = {}
  for (const { key, value } of node.entries) define(result, key, plainValue(value))
  return result
}
