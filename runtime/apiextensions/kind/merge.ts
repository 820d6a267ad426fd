import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import type { Schema } from '../schema/schema.ts'

/**
 * The merge strategy of a schema (A2.41): maps and structs merge by their entries, lists are
 * atomic, unless the schema says otherwise. Undefined where nothing does. `metadata` is the
 * strategy of object metadata, which embedded resources have too. Alternatives (`allOf` and the
 * like) declare no structure and therefore no strategy. `above` is true below a schema that keeps what it does not
 * declare: what is applied there and dropped later has managers, too.
 */
export function mergeFacts(
  schema: Schema,
  metadata: MergeStrategy | undefined,
  above = false,
): MergeStrategy | undefined {
  const keeps = above || schema.preserveUnknownFields
  const fields = new Map<string, MergeStrategy>()
  for (const [name, one] of schema.properties) {
    const merge = mergeFacts(one, metadata, keeps)
    if (merge !== undefined || keeps) fields.set(name, merge ?? {})
  }
  if (schema.embeddedResource && keeps) {
    for (const name of ['apiVersion', 'kind']) fields.set(name, {})
  }
  if (schema.embeddedResource && metadata !== undefined) fields.set('metadata', metadata)
  const merge: MergeStrategy = {
    ...(fields.size > 0 && { fields: Object.fromEntries(fields) }),
    ...listFacts(schema, metadata, keeps),
    ...mapFacts(schema, metadata, keeps),
    ...(hasParts(schema) && schema.default !== undefined && { defaulted: true }),
  }
  return Object.keys(merge).length === 0 ? undefined : merge
}

/**
 * Sets merge by value, maps by their keys with the defaults of these; all other lists are atomic.
 * Only scalar defaults count, since keys are scalars. Items of sets have no strategy of their own:
 * they are compared as a whole.
 */
function listFacts(
  { listType, listMapKeys, items }: Schema,
  metadata: MergeStrategy | undefined,
  keeps: boolean,
): MergeStrategy {
  if (listType !== 'set' && listType !== 'map') return {}
  const below = listType === 'map' && items ? mergeFacts(items, metadata, keeps) : undefined
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

/**
 * Maps of objects or lists merge by entry unless they are atomic. `granular` is said only where
 * values have parts; of scalars the entries merge anyway.
 */
function mapFacts(
  { type, mapType, additionalProperties: more, properties }: Schema,
  metadata: MergeStrategy | undefined,
  keeps: boolean,
): MergeStrategy {
  if (mapType === 'atomic') return { map: 'atomic' }
  if (typeof more !== 'object') {
    const isFree = more ?? (keeps || (type === 'object' && properties.size === 0))
    return isFree && (type === 'object' || type === '') ? deduced : {}
  }
  const below = mergeFacts(more, metadata, keeps)
  return { ...(hasParts(more) && { map: 'granular' as const }), ...(below && { items: below }) }
}

/** What the schema says nothing of: objects are maps that merge by entry at any depth, lists are atomic. */
const deduced: MergeStrategy = { map: 'granular', items: () => deduced }

function hasParts({ type }: Schema): boolean {
  return type === 'object' || type === 'array'
}
