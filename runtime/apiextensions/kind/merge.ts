import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import type { Schema } from '../schema/schema.ts'

/**
 * The merge strategy of a schema (A2.41): maps and structs merge by their entries, lists are atomic, unless the schema says
 * otherwise. Undefined where nothing does. `metadata` is the strategy of object metadata, which embedded resources have too.
 */
export function mergeFacts(
  schema: Schema,
  metadata: MergeStrategy | undefined,
): MergeStrategy | undefined {
  const fields = new Map<string, MergeStrategy>()
  for (const [name, one] of schema.properties) {
    const merge = mergeFacts(one, metadata)
    if (merge !== undefined) fields.set(name, merge)
  }
  if (schema.embeddedResource && metadata !== undefined) fields.set('metadata', metadata)
  const merge: MergeStrategy = {
    ...(fields.size > 0 && { fields: Object.fromEntries(fields) }),
    ...listFacts(schema, metadata),
    ...mapFacts(schema, metadata),
    ...(hasParts(schema) && schema.default !== undefined && { defaulted: true }),
  }
  return Object.keys(merge).length === 0 ? undefined : merge
}

/** Sets merge by value, maps by their keys with the defaults of these; all other lists are atomic. */
function listFacts(
  { listType, listMapKeys, items }: Schema,
  metadata: MergeStrategy | undefined,
): MergeStrategy {
  if (listType !== 'set' && listType !== 'map') return {}
  const below = listType === 'map' && items ? mergeFacts(items, metadata) : undefined
  const defaults = listMapKeys.flatMap((key) => {
    const value = items?.properties.get(key)?.default
    const scalar = ['string', 'number', 'boolean'].includes(typeof value)
    return scalar ? [[key, value as string | number | boolean] as const] : []
  })
  return {
    list: listType,
    ...(listType === 'map' && { keys: listMapKeys }),
    ...(defaults.length > 0 && { defaults: Object.fromEntries(defaults) }),
    ...(below && { items: below }),
  }
}

/** Maps of objects or lists merge by entry unless they are atomic. */
function mapFacts(
  { mapType, additionalProperties: more }: Schema,
  metadata: MergeStrategy | undefined,
): MergeStrategy {
  if (mapType === 'atomic') return { map: 'atomic' }
  if (typeof more !== 'object') return {}
  const below = mergeFacts(more, metadata)
  return { ...(hasParts(more) && { map: 'granular' as const }), ...(below && { items: below }) }
}

function hasParts({ type }: Schema): boolean {
  return type === 'object' || type === 'array'
}
