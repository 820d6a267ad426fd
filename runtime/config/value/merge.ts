/** Merges fragments of a configuration by the merge strategy that the schema states for each field. */
import type { ConfigField, ConfigStruct } from '../../kernel/options/config-kind.ts'
import {
  type ConfigEntry,
  type ConfigMapping,
  type ConfigValue,
  toPlainValue,
} from './located-value.ts'

/**
 * Merges `over` into `base`: structs and maps by entry, lists of type `map` by the keys of their items, lists of type `set` as
 * a union; anything else is replaced. A null is ignored.
 */
export function merge(base: ConfigValue, over: ConfigValue, struct: ConfigStruct): ConfigValue {
  return mergeStructs(base, over, struct)
}

/** `over` replaces what is no map; the schema check reports that. */
function mergeStructs(
  base: ConfigValue,
  over: ConfigValue,
  struct: ConfigStruct | undefined,
): ConfigValue {
  if (base.is !== 'map' || over.is !== 'map') return over
  return mergeMaps(base, over, (key, under, value) =>
    mergeField(under, value, struct && fieldOf(struct, key)),
  )
}

/** Merges two values of a field by its shape. A value of another shape replaces: the schema check reports it. */
function mergeField(
  base: ConfigValue,
  over: ConfigValue,
  field: ConfigField | undefined,
): ConfigValue {
  if (field?.shape === 'struct') return mergeStructs(base, over, field.struct?.())
  if (field?.shape === 'map' && base.is === 'map' && over.is === 'map') {
    const of = field.struct?.()
    return mergeMaps(base, over, (_, under, value) =>
      of === undefined ? value : mergeStructs(under, value, of),
    )
  }
  if (field?.shape === 'list' && base.is === 'list' && over.is === 'list') {
    if (field.list === 'set') return united(base, over)
    if (field.list === 'map') return keyed(base, over, field)
  }
  return over
}

/** `each` merges two values of a key. Keys keep the order of `base`; new ones follow. */
function mergeMaps(
  base: ConfigMapping,
  over: ConfigMapping,
  each: (key: string, base: ConfigValue, over: ConfigValue) => ConfigValue,
): ConfigMapping {
  const entries = new Map(base.entries.map((entry) => [entry.key, entry]))
  for (const entry of over.entries) {
    if (isNull(entry.value)) continue
    const under = entries.get(entry.key)
    const value = under === undefined ? entry.value : each(entry.key, under.value, entry.value)
    entries.set(entry.key, { ...entry, value } satisfies ConfigEntry)
  }
  return { is: 'map', at: over.at, entries: [...entries.values()] }
}

type PlacedList = ConfigValue & { readonly is: 'list' }

/** A union by value: an item that both have keeps its first location. */
function united(base: PlacedList, over: PlacedList): ConfigValue {
  const items = new Map(base.items.map((item) => [identityOf(item), item]))
  for (const item of over.items) items.set(identityOf(item), items.get(identityOf(item)) ?? item)
  return { is: 'list', at: over.at, items: [...items.values()] }
}

/** Items with equal keys merge; others are appended. An item without keys, which is wrong, is compared as a whole. */
function keyed(
  base: PlacedList,
  over: PlacedList,
  { keys = [], struct: of }: ConfigField,
): ConfigValue {
  const identity = (item: ConfigValue): string =>
    item.is === 'map'
      ? keys
          .map((key) => item.entries.find((each) => each.key === key)?.value)
          .map((value) => (value === undefined ? '' : identityOf(value)))
          .join('\0')
      : identityOf(item)
  const items = new Map(base.items.map((item) => [identity(item), item]))
  for (const item of over.items) {
    const under = items.get(identity(item))
    items.set(identity(item), under === undefined ? item : mergeStructs(under, item, of?.()))
  }
  return { is: 'list', at: over.at, items: [...items.values()] }
}

/** `root` with `value` at a path of struct fields such as `Generic.Port`, replacing what is there. */
export function putAt(root: ConfigValue, path: string, value: ConfigValue): ConfigValue {
  const [step = '', ...rest] = path.split('.')
  const entries = root.is === 'map' ? root.entries : []
  const under = entries.find(({ key }) => key === step)
  const inner: ConfigValue = under?.value ?? { is: 'map', entries: [], at: value.at }
  const next = rest.length === 0 ? value : putAt(inner, rest.join('.'), value)
  const entry: ConfigEntry = { key: step, keyAt: under?.keyAt ?? value.at, value: next }
  const others = entries.filter(({ key }) => key !== step)
  return { is: 'map', at: root.at, entries: [...others, entry] }
}

/** A field of a struct by its name; undefined for a name that the struct does not have. */
export function fieldOf(struct: ConfigStruct, name: string): ConfigField | undefined {
  return Object.hasOwn(struct.fields, name) ? struct.fields[name] : undefined
}

/** A null in a fragment does not remove what is below it. */
function isNull(node: ConfigValue): boolean {
  return node.is === 'scalar' && node.value === null
}

/** Equal values have equal texts. */
function identityOf(node: ConfigValue): string {
  return JSON.stringify(toPlainValue(node), (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}
