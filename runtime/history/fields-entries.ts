/** Who manages which fields of an object, field by field. */
import { keysOfElement } from '../apply/apply.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import { isObject, type JsonObject } from '../kernel/values/json.ts'

/** What one manager has of an object. */
export interface FieldsEntry {
  readonly manager: string
  readonly operation: string
  readonly subresource?: string
  readonly time?: string
  readonly fieldsV1?: JsonObject
}

/** A field that a manager has. */
export interface ManagedField {
  /** `spec.containers[web].image`. */
  readonly path: string
  /** Its steps, as the managed fields have them. */
  readonly elements: readonly string[]
}

/** The entries of an object's managed fields. */
export function fieldsEntries(object: ApiObject): readonly FieldsEntry[] {
  const { managedFields = [] } = object.metadata as {
    readonly managedFields?: readonly Partial<FieldsEntry>[]
  }
  return managedFields.map(({ manager = 'unknown', operation = 'Update', ...rest }) => ({
    ...{ manager, operation },
    ...rest,
  }))
}

/** The deepest fields of an entry. */
export function* managedLeaves(
  { fieldsV1 = {} }: FieldsEntry,
  elements: readonly string[] = [],
): Generator<ManagedField> {
  yield* leavesIn(fieldsV1, elements)
}

function* leavesIn(fields: JsonObject, elements: readonly string[]): Generator<ManagedField> {
  for (const [element, below] of Object.entries(fields)) {
    if (element === '.') continue
    const at = [...elements, element]
    const isLeaf = !isObject(below) || Object.keys(below).every((one) => one === '.')
    if (isLeaf) yield { path: pathOf(at), elements: at }
    else yield* leavesIn(below as JsonObject, at)
  }
}

/** True if an entry has a field. */
export function managesField(entry: FieldsEntry, elements: readonly string[]): boolean {
  return partAt(entry, elements) !== undefined
}

/** True if an entry has something in a field. */
export function managesWithin(entry: FieldsEntry, elements: readonly string[]): boolean {
  const part = partAt(entry, elements)
  return isObject(part) && Object.keys(part).some((one) => one !== '.')
}

function partAt({ fieldsV1 }: FieldsEntry, elements: readonly string[]): unknown {
  let at: unknown = fieldsV1
  for (const element of elements) {
    if (!isObject(at) || !Object.hasOwn(at, element)) return undefined
    at = at[element]
  }
  return at
}

/** The value of a field; undefined where it is not. */
export function managedValue(object: ApiObject, elements: readonly string[]): unknown {
  let at: unknown = object
  for (const element of elements) {
    const rest = element.slice(2)
    if (element.startsWith('f:'))
      at = isObject(at) && Object.hasOwn(at, rest) ? at[rest] : undefined
    else if (!Array.isArray(at)) return undefined
    else if (element.startsWith('i:')) at = at[Number(rest)]
    else if (element.startsWith('v:')) at = at.find((one) => JSON.stringify(one) === rest)
    else at = itemOf(at, keysOfElement(element))
  }
  return at
}

function itemOf(list: readonly unknown[], keys: JsonObject | undefined): unknown {
  return list.find(
    (item) =>
      isObject(item) &&
      keys !== undefined &&
      Object.entries(keys).every(([name, value]) => item[name] === value),
  )
}

function pathOf(elements: readonly string[]): string {
  return elements.reduce((text, element) => {
    const rest = element.slice(2)
    if (element.startsWith('f:')) return joined(text, rest)
    const keys = keysOfElement(element)
    return `${text}[${keys === undefined ? rest : Object.values(keys).join(',')}]`
  }, '')
}

function joined(text: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${text}[${JSON.stringify(name)}]`
  return text === '' ? name : `${text}.${name}`
}
