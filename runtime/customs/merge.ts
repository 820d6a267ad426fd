import type { Merge } from '../kernel/kind.ts'
import type { Schema } from './schema.ts'

/**
 * How values of a schema merge (A2.41): maps and structs by their entries, lists as a whole, unless the schema says
 * otherwise. Undefined where nothing differs from that. `metadata` is how an object's metadata merges.
 */
export function mergeOf(schema: Schema, metadata: Merge | undefined): Merge | undefined {
  const fields = new Map<string, Merge>()
  for (const [name, one] of schema.properties) {
    const merge = mergeOf(one, metadata)
    if (merge !== undefined) fields.set(name, merge)
  }
  if (schema.embeddedResource && metadata !== undefined) fields.set('metadata', metadata)
  const merge: Merge = {
    ...(fields.size > 0 && { fields: Object.fromEntries(fields) }),
    ...listFacts(schema, metadata),
    ...mapFacts(schema, metadata),
    ...(hasParts(schema) && schema.default !== undefined && { defaulted: true }),
  }
  return Object.keys(merge).length === 0 ? undefined : merge
}

function listFacts({ listType, listMapKeys, items }: Schema, metadata: Merge | undefined): Merge {
  if (listType !== 'set' && listType !== 'map') return {}
  const below = listType === 'map' && items ? mergeOf(items, metadata) : undefined
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

function mapFacts(
  { mapType, additionalProperties: more }: Schema,
  metadata: Merge | undefined,
): Merge {
  if (mapType === 'atomic') return { map: 'atomic' }
  if (typeof more !== 'object') return {}
  const below = mergeOf(more, metadata)
  return { ...(hasParts(more) && { map: 'granular' as const }), ...(below && { items: below }) }
}

function hasParts({ type }: Schema): boolean {
  return type === 'object' || type === 'array'
}
