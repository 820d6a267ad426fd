/** How fragments of a configuration become one, by the schema's merge strategy. */
import type { ConfigField, ConfigStruct } from '../kernel/config.ts'
import { type Placed, type PlacedEntry, type PlacedMap, plainOf } from './place.ts'

/**
 * `over` on top of `base`: structs and maps merge entry by entry, map lists item by item, sets are united, and everything
 * else is replaced. What is null says nothing.
 */
export function merge(base: Placed, over: Placed, struct: ConfigStruct): Placed {
  return mergeStructs(base, over, struct)
}

function mergeStructs(base: Placed, over: Placed, struct: ConfigStruct | undefined): Placed {
  if (base.is !== 'map' || over.is !== 'map') return over
  return mergeMaps(base, over, (key, under, value) =>
    mergeField(under, value, struct && fieldOf(struct, key)),
  )
}

function mergeField(base: Placed, over: Placed, field: ConfigField | undefined): Placed {
  if (field?.is === 'struct') return mergeStructs(base, over, field.of?.())
  if (field?.is === 'map' && base.is === 'map' && over.is === 'map') {
    const of = field.of?.()
    return mergeMaps(base, over, (_, under, value) =>
      of === undefined ? value : mergeStructs(under, value, of),
    )
  }
  if (field?.is === 'list' && base.is === 'list' && over.is === 'list') {
    if (field.list === 'set') return united(base, over)
    if (field.list === 'map') return keyed(base, over, field)
  }
  return over
}

function mergeMaps(
  base: PlacedMap,
  over: PlacedMap,
  each: (key: string, base: Placed, over: Placed) => Placed,
): PlacedMap {
  const entries = new Map(base.entries.map((entry) => [entry.key, entry]))
  for (const entry of over.entries) {
    if (isNull(entry.value)) continue
    const under = entries.get(entry.key)
    const value = under === undefined ? entry.value : each(entry.key, under.value, entry.value)
    entries.set(entry.key, { ...entry, value } satisfies PlacedEntry)
  }
  return { is: 'map', at: over.at, entries: [...entries.values()] }
}

type PlacedList = Placed & { readonly is: 'list' }

function united(base: PlacedList, over: PlacedList): Placed {
  const items = new Map(base.items.map((item) => [textOf(item), item]))
  for (const item of over.items) items.set(textOf(item), items.get(textOf(item)) ?? item)
  return { is: 'list', at: over.at, items: [...items.values()] }
}

function keyed(base: PlacedList, over: PlacedList, { keys = [], of }: ConfigField): Placed {
  const identity = (item: Placed): string =>
    item.is === 'map'
      ? keys
          .map((key) => item.entries.find((each) => each.key === key)?.value)
          .map((value) => (value === undefined ? '' : textOf(value)))
          .join('\0')
      : textOf(item)
  const items = new Map(base.items.map((item) => [identity(item), item]))
  for (const item of over.items) {
    const under = items.get(identity(item))
    items.set(identity(item), under === undefined ? item : mergeStructs(under, item, of?.()))
  }
  return { is: 'list', at: over.at, items: [...items.values()] }
}

/** `value` put at a path of struct fields such as `Generic.Port`, in place of what stands there. */
export function putAt(root: Placed, path: string, value: Placed): Placed {
  const [step = '', ...rest] = path.split('.')
  const entries = root.is === 'map' ? root.entries : []
  const under = entries.find(({ key }) => key === step)
  const inner: Placed = under?.value ?? { is: 'map', entries: [], at: value.at }
  const next = rest.length === 0 ? value : putAt(inner, rest.join('.'), value)
  const entry: PlacedEntry = { key: step, keyAt: under?.keyAt ?? value.at, value: next }
  const others = entries.filter(({ key }) => key !== step)
  return { is: 'map', at: root.at, entries: [...others, entry] }
}

/** The facts of a field; undefined for a name that the struct does not have. */
export function fieldOf(struct: ConfigStruct, name: string): ConfigField | undefined {
  return Object.hasOwn(struct.fields, name) ? struct.fields[name] : undefined
}

function isNull(node: Placed): boolean {
  return node.is === 'scalar' && node.value === null
}

function textOf(node: Placed): string {
  return JSON.stringify(plainOf(node), (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}
