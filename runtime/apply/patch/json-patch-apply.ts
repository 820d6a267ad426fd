/** The operations of a JSON patch, applied to a document. */

import { runToCompletion, type Steps } from '../../kernel/async/slices.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { define } from '../../kernel/values/define-property.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'
import { unescapedStep } from '../../kernel/values/json-pointer.ts'
import type { JsonPatchOperation } from './json-patch.ts'

/** How many bytes the copy operations of one patch may add. */
const maxCopied = 3 * 1024 * 1024

/**
 * Applies operations in order to a copy of `document`. Throws `Invalid` if one does not apply; the cause of the error says
 * which, in the words that users of webhooks know.
 */
export function applyJsonPatch(document: Json, patch: readonly JsonPatchOperation[]): Json {
  return runToCompletion(jsonPatchSteps(document, patch))
}

/** `applyJsonPatch`, one operation after the other. */
export function* jsonPatchSteps(document: Json, patch: readonly JsonPatchOperation[]): Steps<Json> {
  const state: State = { root: copy(document), copied: 0, work: 0, opened: new Set() }
  for (const operation of patch) {
    applyOne(state, operation)
    yield state.work
    state.work = 1
  }
  for (const object of state.opened) {
    sortKeys(object)
    yield Object.keys(object).length >> 9
  }
  return state.root
}

/** The library of public servers writes what it opened with its keys in order, which warnings of unknown fields show. */
function sortKeys(object: Record<string, Json>): void {
  const keys = Object.keys(object)
  if (keys.every((key, at) => at === 0 || keys[at - 1]! < key)) return
  for (const key of keys.sort()) {
    const value = object[key] as Json
    delete object[key]
    define(object, key, value)
  }
}

/** The document as far as it is patched. */
interface State {
  root: Json
  /** Bytes that copy operations have added. */
  copied: number
  /** An estimate of the work of an operation. */
  work: number
  /** The objects that paths led through. */
  readonly opened: Set<Record<string, Json>>
}

function applyOne(state: State, { op = 'unknown', path, from, value }: JsonPatchOperation): void {
  if (!isKnown(op)) refuse(`Unexpected kind: ${op}`)
  if (path === undefined) refuse(`${op} operation failed to decode path: missing value`)
  if (op === 'add') add(state, path, copy(value ?? null), path)
  else if (op === 'remove') remove(state, path)
  else if (op === 'replace') replace(state, path, value)
  else if (op === 'test') test(state, path, value)
  else {
    if (from === undefined)
      refuse(`${op} operation failed to decode from: operation, missing from field: missing value`)
    if (op === 'move') move(state, from, path)
    else copyTo(state, from, path)
  }
}

const operations = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const

function isKnown(op: string): op is (typeof operations)[number] {
  return (operations as readonly string[]).includes(op)
}

type Container = Json[] | Record<string, Json>

/** Where a path leads: the part of a document that holds the value, and under which key. */
interface Place {
  readonly container: Container
  readonly key: string
}

/** No document nests deeper, so a longer path leads nowhere. */
const maxSteps = 1000

/** The place of a JSON pointer; undefined if there is no such container. What stands before the first slash does not count. */
function find(state: State, path: string): Place | undefined {
  const steps = path.split('/', maxSteps + 1)
  if (steps.length < 2 || steps.length > maxSteps) return undefined
  let at: Json | undefined = state.root
  for (const step of steps.slice(1, -1)) {
    if (isObject(at)) state.opened.add(at as Record<string, Json>)
    if (Array.isArray(at))
      at = at[indexOf(at, unescapedStep(step)) ?? at.length] as Json | undefined
    else at = isObject(at) ? own(at, unescapedStep(step)) : undefined
  }
  state.work += steps.length >> 4
  if (!Array.isArray(at) && !isObject(at)) return undefined
  if (!Array.isArray(at)) state.opened.add(at as Record<string, Json>)
  if (Array.isArray(at)) state.work += at.length >> 9
  return { container: at as Container, key: unescapedStep(steps.at(-1)!) }
}

function own(object: { readonly [key: string]: Json | undefined }, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** The index of an item that is there: negative ones count from the end. */
function indexOf(list: readonly Json[], key: string, length = list.length): number | undefined {
  if (!/^[+-]?\d{1,18}$/.test(key)) return undefined
  const given = Number(key)
  const index = given < 0 ? given + length : given
  return index >= 0 && index < length ? index : undefined
}

function badIndex(key: string): string {
  return /^[+-]?\d+$/.test(key)
    ? `Unable to access invalid index: ${Number(key) || 0}: invalid index referenced`
    : `strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`
}

/** The value at a place; undefined for an absent property. Throws for an index that is not there, after `what`. */
function valueAt({ container, key }: Place, what: string): Json | undefined {
  if (!Array.isArray(container)) return own(container, key)
  const index = indexOf(container, key)
  return index === undefined ? refuse(`${what}: ${badIndex(key)}`) : container[index]
}

/** Inserts into a list (`-` appends), or sets a property. */
function add(state: State, path: string, value: Json, shown: string): void {
  const place = find(state, path)
  if (place === undefined) {
    refuse(
      `add operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`,
    )
  }
  insert(place, value, `error in add for path: '${shown}'`)
}

function insert({ container, key }: Place, value: Json, what: string): void {
  if (!Array.isArray(container)) {
    define(container, key, value)
    return
  }
  const index = key === '-' ? container.length : indexOf(container, key, container.length + 1)
  if (index === undefined) {
    const improper = Number.isNaN(Number(key))
      ? `value was not a proper array index: '${key}': `
      : ''
    refuse(`${what}: ${improper}${badIndex(key)}`)
  }
  container.splice(index, 0, value)
}

function remove(state: State, path: string): void {
  const place = find(state, path)
  if (place === undefined) {
    refuse(
      `remove operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`,
    )
  }
  takeOut(place, `error in remove for path: '${path}'`)
}

function takeOut({ container, key }: Place, what: string): void {
  if (Array.isArray(container)) {
    const index = indexOf(container, key)
    if (index === undefined) refuse(`${what}: ${badIndex(key)}`)
    container.splice(index, 1)
  } else if (Object.hasOwn(container, key)) delete container[key]
  else refuse(`${what}: Unable to remove nonexistent key: ${key}: missing value`)
}

/** Replaces the whole document, an item that is there, or a property that may be absent. */
function replace(state: State, path: string, value: Json | undefined): void {
  if (path === '') {
    if (value === undefined) refuse('replace operation: missing value')
    if (typeof value === 'object' && value !== null) state.root = copy(value)
    return
  }
  const place = find(state, path)
  const missing = (what: string) =>
    `replace operation does not apply: doc is missing ${what}: ${path}: missing value`
  if (place === undefined) refuse(missing('path'))
  const { container, key } = place
  if (!Array.isArray(container)) {
    define(container, key, copy(value ?? null))
    return
  }
  const index = indexOf(container, key)
  if (index === undefined) refuse(missing('key'))
  container[index] = copy(value ?? null)
}

/** Compares a value with the expected one; an absent property is null. */
function test(state: State, path: string, value: Json | undefined): void {
  const failed = `testing value ${path} failed: test failed`
  const place = path === '' ? undefined : find(state, path)
  if (place === undefined && path !== '') {
    refuse(`test operation does not apply: is missing path: ${path}: missing value`)
  }
  const found =
    place === undefined ? state.root : (valueAt(place, `error in test for path: '${path}'`) ?? null)
  if (!deepEqual(found, value)) refuse(failed)
}

/** A value is taken out before it is put in again, so that none can be moved into itself. */
function move(state: State, from: string, to: string): void {
  const source = find(state, from)
  if (source === undefined) missingPlace('move', 'from', from)
  const what = `error in move for path: '${source.key}'`
  const value = valueAt(source, what)
  takeOut(source, what)
  const target = find(state, to)
  if (target === undefined) missingPlace('move', 'destination', to)
  insert(target, value ?? null, `error in move for path: '${to}'`)
}

function copyTo(state: State, from: string, to: string): void {
  const source = find(state, from)
  if (source === undefined) missingPlace('copy', 'from', from)
  const value = valueAt(source, `error in copy for from: '${from}'`) ?? null
  const target = find(state, to)
  if (target === undefined) missingPlace('copy', 'destination', to)
  const before = state.copied
  insert(target, copied(state, value), 'error while adding value during copy')
  state.work += (state.copied - before) >> 6
}

function missingPlace(op: string, which: string, path: string): never {
  return refuse(
    `${op} operation does not apply: doc is missing ${which} path: ${path}: missing value`,
  )
}

/** A copy that counts towards no limit. */
function copy(value: Json): Json {
  return copied({ copied: Number.NEGATIVE_INFINITY }, value)
}

/** A copy whose bytes are counted; throws as soon as they are too many. */
function copied(state: Pick<State, 'copied'>, value: Json): Json {
  state.copied += typeof value === 'string' ? value.length + 3 : 5
  if (state.copied > maxCopied) {
    refuse(
      'Unable to complete the copy, the accumulated size increase of copy is ' +
        `${state.copied}, exceeding the limit ${maxCopied}`,
    )
  }
  if (Array.isArray(value)) return value.map((one) => copied(state, one))
  if (!isObject(value)) return value
  const out: Record<string, Json> = {}
  for (const [key, one] of Object.entries(value)) {
    state.copied += key.length + 3
    if (one !== undefined) define(out, key, copied(state, one))
  }
  return out
}

/** The error of a patch that does not apply: clients are not told the reason, which is its cause. */
function refuse(why: string): never {
  throw new StatusError(
    'Invalid',
    'the server rejected our request due to an error in our request',
    { details: {}, cause: new Error(why) },
  )
}
