import type { Definition, Definitions } from '../definitions.ts'
import type { Marker } from '../ir.ts'
import { keywordPrefix } from '../markers.ts'
import { isStruct, type Schema, walkSchema } from '../schema.ts'
import type { Rule } from './rule.ts'

type Spot = Marker['on'][number]

const nowhere: readonly Spot[] = []

/** A marker stands where `markers.yaml` lets it stand. */
export const checkMarkers: Rule = ({ api, definitions }, report) => {
  const allowed = new Map<string, readonly Spot[]>()
  for (const { keyword, on } of api.markers) {
    allowed.set(keyword, [...new Set([...(allowed.get(keyword) ?? nowhere), ...on])])
  }
  for (const definition of definitions.fresh) {
    walkSchema(definition.schema, (schema) => {
      if (schema.markers.size === 0) return
      const spots = spotsOf(schema, definition, definitions)
      for (const [keyword, { keyAt }] of schema.markers) {
        const on = allowed.get(keyword) ?? nowhere
        if (on.some((each) => spots.has(each))) continue
        const places = on.map((each) => names[each]).join(' or ')
        report(keyAt, 'misplaced-marker', `"${keywordPrefix}${keyword}" belongs on ${places}`)
      }
    })
  }
}

const names: Readonly<Record<Spot, string>> = {
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

/** Everything that a schema is, a reference being what it leads to. */
function spotsOf(schema: Schema, from: Definition, definitions: Definitions): ReadonlySet<Spot> {
  const spots = new Set<Spot>()
  const { place } = schema
  spots.add(place === 'items' || place === 'values' ? 'item' : place)
  const target = targetOf(schema, from, definitions)
  if (isStruct(target)) spots.add('struct')
  else if (target.type?.value === 'object')
    spots.add(target.values === undefined ? 'struct' : 'map')
  if (target.type?.value === 'array') spots.add('list')
  if (target.type?.value === 'string') spots.add('string')
  return spots
}

function targetOf(schema: Schema, from: Definition, definitions: Definitions, depth = 0): Schema {
  const found = schema.ref && definitions.find(schema.ref.value, from.file)
  if (found === undefined || depth > 8) return schema
  return targetOf(found.schema, found, definitions, depth + 1)
}
