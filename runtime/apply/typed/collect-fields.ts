/** The fields that a value holds, as sets. */

import { addWork, runToCompletion, type Steps, takeWork } from '../../kernel/async/slices.ts'
import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import {
  type FieldSet,
  fieldSetOf,
  isEmpty,
  leaf,
  memberSetOf,
  noFields,
  sameFields,
} from '../field-set/field-set.ts'
import { fieldElement, indexElement, printElement, selfElement } from '../field-set/path-element.ts'
import {
  DuplicateItems,
  fieldShape,
  formOf,
  hasScalarsOnly,
  indexItems,
  isAtomicObject,
  isEntry,
  isScalar,
  itemElement,
  itemShape,
  listKeys,
  listType,
  unidentifiedItem,
} from './merge-shape.ts'

/** A node that is being built. */
type Growing = Record<string, FieldSet>

/** Every field of a value, those on the way to others too: what appears, or goes, with the value. */
export function everyField(value: Json, merge: MergeStrategy | undefined): FieldSet {
  return runToCompletion(everyFieldSteps(value, merge))
}

/** `everyField` in steps. */
export function* everyFieldSteps(value: Json, merge: MergeStrategy | undefined): Steps<FieldSet> {
  const form = formOf(value, merge)
  if (form === 'leaf') return leaf
  if (form === 'list') return yield* everyItem(value as readonly Json[], merge!)
  const parts: Growing = { [selfElement]: leaf }
  const names = Object.keys(value as JsonObject)
  for (const name of names) {
    if (addWork(1)) yield takeWork()
    const part = (value as JsonObject)[name]
    if (part === undefined) continue
    const shape = fieldShape(merge, name)
    const fields = everyFieldAtOnce(part, shape) ?? (yield* everyFieldSteps(part, shape))
    parts[fieldElement(name)] = fields
  }
  return memberSetOf(parts)
}

/** `everyField` of what takes no steps: of one field and of an object of scalars, which most parts are. */
function everyFieldAtOnce(value: Json, merge: MergeStrategy | undefined): FieldSet | undefined {
  if (formOf(value, merge) === 'leaf') return leaf
  return hasScalarsOnly(value) ? memberSetOf(scalarParts(value, true)) : undefined
}

/** The fields of an object of scalars. */
function scalarParts(value: JsonObject, member: boolean): Growing {
  const parts: Growing = member ? { [selfElement]: leaf } : {}
  const names = Object.keys(value)
  for (const name of names) if (value[name] !== undefined) parts[fieldElement(name)] = leaf
  addWork(names.length)
  return parts
}

/** Items that follow each other mostly have the same fields: those share one set. */
function* everyItem(list: readonly Json[], merge: MergeStrategy): Steps<FieldSet> {
  const parts: Growing = { [selfElement]: leaf }
  const shape = itemShape(merge)
  let last = leaf
  const items = indexItems(list, merge)
  if (addWork(list.length + 1)) yield takeWork()
  for (const [element, item] of items) {
    if (addWork(1)) yield takeWork()
    const one = item instanceof DuplicateItems ? null : item
    const fields = everyFieldAtOnce(one, shape) ?? (yield* everyFieldSteps(one, shape))
    if (!sameFields(fields, last)) last = fields
    parts[element] = last
  }
  return memberSetOf(parts)
}

/** What is wrong with an applied configuration, as messages that begin with the path. */
export type Problems = string[]

/**
 * The fields that an applied configuration states: leaves, atomic values, empty objects and every item of a list, but
 * not the objects on the way to them. Items that cannot be told apart are added to `problems` (supplement A-02).
 */
export function statedFields(
  config: Json,
  merge: MergeStrategy | undefined,
  problems: Problems,
): FieldSet {
  return runToCompletion(statedSteps(config, merge, problems))
}

/** `statedFields` in steps. */
export function* statedSteps(
  config: Json,
  merge: MergeStrategy | undefined,
  problems: Problems,
): Steps<FieldSet> {
  return isObject(config) ? ((yield* statedParts(config, merge, problems)) ?? noFields) : leaf
}

/** The fields of one part; undefined if it holds nothing but empty lists. */
function* statedParts(
  config: JsonObject,
  merge: MergeStrategy | undefined,
  problems: Problems,
): Steps<FieldSet | undefined> {
  const parts: Growing = {}
  let empty = true
  const names = Object.keys(config)
  for (const name of names) {
    if (addWork(1)) yield takeWork()
    const value = config[name]
    if (value === undefined) continue
    empty = false
    const element = fieldElement(name)
    const shape = fieldShape(merge, name)
    const node = statedAtOnce(value, shape) ?? (yield* stated(value, shape, element, problems))
    if (isEntry(merge, name)) parts[element] = node === undefined ? leaf : asMember(node)
    else if (node !== undefined) parts[element] = node
  }
  const fields = fieldSetOf(parts, false)
  return empty || !isEmpty(fields) ? fields : undefined
}

/** What a scalar or an object of scalars states, which takes no steps; no problems are in it. */
function statedAtOnce(value: Json, merge: MergeStrategy | undefined): FieldSet | undefined {
  if (isScalar(value)) return leaf
  if (!hasScalarsOnly(value)) return undefined
  return isAtomicObject(merge) ? leaf : fieldSetOf(scalarParts(value, false), false)
}

/** The fields of the part that an element names; what is wrong below it gets the element's name in front. */
function* stated(
  value: Json,
  merge: MergeStrategy | undefined,
  element: string,
  problems: Problems,
): Steps<FieldSet | undefined> {
  const before = problems.length
  const node = yield* statedNode(value, merge, problems)
  for (let at = before; at < problems.length; at++) {
    problems[at] = `${printElement(element)}${problems[at]}`
  }
  return node
}

function statedNode(
  value: Json,
  merge: MergeStrategy | undefined,
  problems: Problems,
): Steps<FieldSet | undefined> {
  const form = formOf(value, merge)
  if (form === 'object') return statedParts(value as JsonObject, merge, problems)
  if (form === 'list') return statedItems(value as readonly Json[], merge!, problems)
  return statedWhole(value, merge, problems)
}

/** Items of lists in a value that is replaced as a whole are told apart, too. */
function* statedWhole(
  value: Json,
  merge: MergeStrategy | undefined,
  problems: Problems,
): Steps<FieldSet> {
  if (isObject(value) && merge?.fields !== undefined) yield* statedParts(value, merge, problems)
  const shape = Array.isArray(value) ? itemShape(merge) : undefined
  if (shape === undefined) return leaf
  for (const [index, item] of (value as readonly Json[]).entries()) {
    if (addWork(1)) yield takeWork()
    yield* stated(item, shape, indexElement(index), problems)
  }
  return leaf
}

/** Behind an item that cannot be told from others nothing of a list is looked at. */
function* statedItems(
  list: readonly Json[],
  merge: MergeStrategy,
  problems: Problems,
): Steps<FieldSet | undefined> {
  if (list.length === 0) return undefined
  const parts: Growing = {}
  const shape = itemShape(merge)
  for (const [index, item] of list.entries()) {
    if (addWork(1)) yield takeWork()
    const why = unidentified(item, merge)
    if (why !== undefined) {
      problems.push(`: element ${index}: ${why}`)
      return undefined
    }
    const element = itemElement(item, merge)
    if (Object.hasOwn(parts, element))
      problems.push(`: duplicate entries for key ${printElement(element)}`)
    const node = statedAtOnce(item, shape) ?? (yield* stated(item, shape, element, problems))
    parts[element] = asMember(node ?? leaf)
  }
  return fieldSetOf(parts, false)
}

/** Why an item of a set or map list cannot be identified; undefined if it can. */
export function unidentified(item: Json, merge: MergeStrategy): string | undefined {
  const keys = listType(merge) === 'set' ? undefined : listKeys(merge)
  return unidentifiedItem(item, keys, (name) => merge.defaults?.[name])
}

function asMember(node: FieldSet): FieldSet {
  return isEmpty(node) || node[selfElement] !== undefined ? node : { [selfElement]: leaf, ...node }
}
