/** Lint: vendor keywords. */
import type { Definition, Definitions } from '../build/definitions.ts'
import { isStruct, type Schema, walkSchema } from '../build/json-schema.ts'
import { keywordPrefix } from '../build/markers.ts'
import type { Marker } from '../ir.ts'
import type { LintRule } from './lint-rule.ts'

/** What a keyword may be used on. */
type MarkerTarget = Marker['on'][number]

const nowhere: readonly MarkerTarget[] = []

/** A keyword is used where `markers.yaml` allows it. */
export const checkMarkers: LintRule = ({ api, definitions }, report) => {
  const allowed = new Map<string, readonly MarkerTarget[]>()
  for (const { keyword, on } of api.markers) {
    allowed.set(keyword, [...new Set([...(allowed.get(keyword) ?? nowhere), ...on])])
  }
  for (const definition of definitions.fresh) {
    walkSchema(definition.schema, (schema) => {
      if (schema.markers.size === 0) return
      const spots = targetsOf(schema, definition, definitions)
      for (const [keyword, { keyAt }] of schema.markers) {
        const on = allowed.get(keyword) ?? nowhere
        if (on.some((each) => spots.has(each))) continue
        const places = on.map((each) => names[each]).join(' or ')
        report(keyAt, 'misplaced-marker', `"${keywordPrefix}${keyword}" belongs on ${places}`)
      }
    })
  }
}

/** The targets as messages state them. */
const names: Readonly<Record<MarkerTarget, string>> = {
  list: 'a list',
  map: 'a map',
  struct: 'a struct',
  string: 'a string',
  field: 'a field',
  definition: 'a definition',
  inline: 'an inlined struct',
  item: 'an item or a value',
  member: 'a member of a union',
}

/** Everything that a schema is; a reference is what it leads to. */
function targetsOf(
  schema: Schema,
  from: Definition,
  definitions: Definitions,
): ReadonlySet<MarkerTarget> {
  const spots = new Set<MarkerTarget>()
  const { context: place } = schema
  spots.add(place === 'items' || place === 'values' ? 'item' : place)
  const target = targetOf(schema, from, definitions)
  if (isStruct(target)) spots.add('struct')
  else if (target.type?.value === 'object')
    spots.add(target.values === undefined ? 'struct' : 'map')
  if (target.type?.value === 'array') spots.add('list')
  if (target.type?.value === 'string') spots.add('string')
  return spots
}

/** The schema at the end of a chain of references, of which eight are followed. */
function targetOf(schema: Schema, from: Definition, definitions: Definitions, depth = 0): Schema {
  const found = schema.ref && definitions.find(schema.ref.value, from.file)
  if (found === undefined || depth > 8) return schema
  return targetOf(found.schema, found, definitions, depth + 1)
}
