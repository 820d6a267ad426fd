import type { ManagedFieldsEntry } from '../../../generated/apis/meta/v1/object-meta.ts'
import { keysOfElement } from '../../apply/apply.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { isObject, type JsonObject } from '../../kernel/values/json.ts'

/** A field that differs between two versions of an object, and who wrote it, as managed fields say. */
export interface ChangedField {
  /** `spec.replicas`, `spec.containers[web].image`. */
  readonly path: string
  /** Its managers after the change; more than one only where they want the same value. Empty where the cache has no managed fields. */
  readonly managers: readonly string[]
}

/** A field that differs, with its values; what is not there is undefined. */
export interface ChangedValue extends ChangedField {
  readonly before: unknown
  readonly after: unknown
}

/** Where two versions differ. */
interface Difference {
  readonly steps: readonly Step[]
  readonly before: unknown
  readonly after: unknown
}

/** A name of a field, or an item of a list. */
type Step = string | { readonly item: JsonObject; readonly label: string }

/** What every write changes, and what no manager writes. */
const passedOver: ReadonlySet<string> = new Set(['managedFields', 'resourceVersion', 'generation'])

/** The first fields that differ between an object and what it was; of something that is new or gone, the whole of it. */
export function changedFields(
  before: Stored<ApiObject>,
  object: Stored<ApiObject>,
  most: number,
): readonly ChangedField[] {
  return changedValues(before, object, most).map(({ path, managers }) => ({ path, managers }))
}

/** Like `changedFields`, with the values before and after. */
export function changedValues(
  before: Stored<ApiObject>,
  object: Stored<ApiObject>,
  most: number,
): readonly ChangedValue[] {
  const found: Difference[] = []
  compare(before as unknown, object as unknown, [], found, most)
  const writers = writersOf(before, object)
  return found.map(({ steps, ...values }) => ({
    path: printed(steps),
    managers: managersOf(object, steps, writers),
    ...values,
  }))
}

function compare(
  a: unknown,
  b: unknown,
  at: readonly Step[],
  found: Difference[],
  most: number,
): void {
  if (found.length >= most || a === b) return
  if (isObject(a) && isObject(b)) {
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const isOwn = at.length === 1 && at[0] === 'metadata' && passedOver.has(name)
      if (!isOwn) compare(a[name], b[name], [...at, name], found, most)
    }
    return
  }
  const [was, is] = [namedItems(a), namedItems(b)]
  if (was !== undefined && is !== undefined) {
    for (const label of new Set([...was.keys(), ...is.keys()])) {
      const item = (is.get(label) ?? was.get(label)) as JsonObject
      compare(was.get(label), is.get(label), [...at, { item, label }], found, most)
    }
  } else if (!deepEqual(a, b)) found.push({ steps: at, before: a, after: b })
}

/** The items of a list by what names them; undefined for anything else. */
function namedItems(value: unknown): ReadonlyMap<string, JsonObject> | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isObject)) return undefined
  const names = value.map((item) => item.name ?? item.type)
  const named =
    names.every((name) => typeof name === 'string') && new Set(names).size === names.length
  return named ? new Map(value.map((item, at) => [names[at] as string, item])) : undefined
}

/** Managers whose entry is not what it was: one of them made the change. */
function writersOf(before: Stored<ApiObject>, object: Stored<ApiObject>): ReadonlySet<string> {
  const [was, is] = [entriesOf(before), entriesOf(object)]
  const changed = is.filter((entry) => !was.some((one) => deepEqual(one, entry)))
  return new Set(changed.map(nameOf))
}

function managersOf(
  object: Stored<ApiObject>,
  steps: readonly Step[],
  writers: ReadonlySet<string>,
): readonly string[] {
  const owners = entriesOf(object)
    .filter(({ fieldsV1 }) => isObject(fieldsV1) && owns(fieldsV1 as JsonObject, steps))
    .map(nameOf)
  const both = owners.filter((name) => writers.has(name))
  const found = both.length > 0 ? both : owners.length > 0 ? owners : [...writers]
  return [...new Set(found)]
}

/** Who made an object that has not changed since. */
export function managersOfNew(object: Stored<ApiObject>): readonly string[] {
  return [...new Set(entriesOf(object).map(nameOf))]
}

/** Empty where the cache leaves them out. */
function entriesOf({ metadata }: Stored<ApiObject>): readonly ManagedFieldsEntry[] {
  const { managedFields = [] } = metadata as { managedFields?: readonly ManagedFieldsEntry[] }
  return managedFields
}

function nameOf({ manager = 'unknown' }: ManagedFieldsEntry): string {
  return manager
}

/** True if a set of fields has the field at a path, or something atomic that the field is in. */
function owns(fields: JsonObject, steps: readonly Step[]): boolean {
  let at = fields
  for (const step of steps) {
    const next = typeof step === 'string' ? at[`f:${step}`] : itemOf(at, step.item)
    if (!isObject(next)) return Object.keys(at).length === 0
    at = next
  }
  return true
}

/** The entry of a set of fields for an item of a list. */
function itemOf(fields: JsonObject, item: JsonObject): unknown {
  const key = Object.keys(fields).find((one) => {
    const keys = keysOfElement(one)
    return keys && Object.entries(keys).every(([name, value]) => item[name] === value)
  })
  return key === undefined ? undefined : fields[key]
}

function printed(steps: readonly Step[]): string {
  return steps.reduce<string>((text, step) => {
    if (typeof step !== 'string') return `${text}[${step.label}]`
    return text === '' ? step : `${text}.${step}`
  }, '')
}
