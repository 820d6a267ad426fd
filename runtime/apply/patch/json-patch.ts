/** JSON Patch (RFC 6902), with bounds on operations, depth and copies. */
import { StatusError } from '../../kernel/errors/status-error.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { define } from '../../kernel/values/define-property.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'

/** The most operations of one patch. */
const maxOperations = 10_000
/** How many bytes the copy operations of one patch may add. */
const maxCopied = 1024 * 1024
/** The bytes that a number, a literal, a list or an object counts for, beside what is in it. */
const valueBytes = 8

/** One operation; paths are lists of unescaped steps. */
export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'
  readonly path: readonly string[]
  /** The source of `move` and `copy`; empty for other operations. */
  readonly from: readonly string[]
  /** The value of `add`, `replace` and `test`; null for other operations. */
  readonly value: Json
}

const operations = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const

/** Parses a patch. Throws `BadRequest`, or `RequestEntityTooLarge` for too many operations. */
export function parseJsonPatch(patch: Json): readonly JsonPatchOperation[] {
  if (!Array.isArray(patch)) throw malformed('a JSON patch is a list of operations')
  if (patch.length > maxOperations) {
    throw new StatusError(
      'RequestEntityTooLarge',
      `Request entity too large: the allowed maximum operations in a JSON patch is ${maxOperations}, ` +
        `got ${patch.length}`,
    )
  }
  return patch.map(parseOperation)
}

const parts = ['op', 'path', 'from', 'value']
/** How many unknown parts are named. */
const maxUnknown = 100

/** One text for each field of an operation that means nothing: `unknown field "[0].foo"`. */
export function unknownFields(patch: Json): readonly string[] {
  if (!Array.isArray(patch)) return []
  const texts: string[] = []
  for (const [index, operation] of patch.entries()) {
    if (texts.length >= maxUnknown) break
    const unknown = Object.keys(operation as object).filter((part) => !parts.includes(part))
    texts.push(...unknown.map((part) => `unknown field ${JSON.stringify(`[${index}].${part}`)}`))
  }
  return texts.slice(0, maxUnknown)
}

function parseOperation(given: Json, index: number): JsonPatchOperation {
  if (!isObject(given)) throw malformed(`operation ${index} is not an object`)
  const op = operations.find((one) => one === given.op)
  if (op === undefined) throw malformed(`operation ${index} has an unknown op`)
  const moves = op === 'move' || op === 'copy'
  if ((op === 'add' || op === 'replace' || op === 'test') && !Object.hasOwn(given, 'value')) {
    throw malformed(`operation ${index} has no value`)
  }
  return {
    op,
    path: pointer(given.path, index),
    from: moves ? pointer(given.from, index) : [],
    value: given.value ?? null,
  }
}

/** No document nests deeper, so a longer path leads nowhere. */
const maxSteps = 1000

/** The steps of a JSON pointer (RFC 6901). */
function pointer(text: Json | undefined, index: number): readonly string[] {
  if (text === '') return []
  if (typeof text !== 'string' || !text.startsWith('/')) {
    throw malformed(`operation ${index} has an invalid path`)
  }
  const steps = text.slice(1).split('/', maxSteps + 1)
  if (steps.length > maxSteps) throw malformed(`operation ${index} has a path of too many steps`)
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function malformed(why: string): StatusError {
  return new StatusError('BadRequest', `error decoding patch: ${why}`)
}

/** Applies operations in order to a copy of `document`. Throws `Invalid` if one does not apply. */
export function applyJsonPatch(document: Json, patch: readonly JsonPatchOperation[]): Json {
  const state = { root: copy(document), copyBudget: maxCopied }
  for (const operation of patch) applyOne(state, operation)
  return state.root
}

/** The document as far as it is patched. */
interface State {
  root: Json
  /** Bytes that copy operations may still add. */
  copyBudget: number
}

function applyOne(state: State, { op, path, from, value }: JsonPatchOperation): void {
  if (op === 'add') add(state, path, copy(value))
  else if (op === 'remove') remove(state, path)
  else if (op === 'replace') replace(state, path, copy(value))
  else if (op === 'move') move(state, from, path)
  else if (op === 'copy') add(state, path, copied(state, read(state, from)))
  else if (!deepEqual(read(state, path), value)) refuse()
}

/** Replaces the value at a path, which must exist. */
function replace(state: State, path: readonly string[], value: Json): void {
  const last = path.at(-1)
  read(state, path)
  const parent = last === undefined ? undefined : read(state, path.slice(0, -1))
  if (Array.isArray(parent)) {
    const list = parent as Json[]
    list[indexOf(list, last ?? '', list.length - 1)] = value
  } else add(state, path, value)
}

/** A value cannot be moved into itself. */
function move(state: State, from: readonly string[], to: readonly string[]): void {
  const moved = read(state, from)
  if (deepEqual(from, to)) return
  if (from.every((step, index) => to[index] === step)) refuse()
  remove(state, from)
  add(state, to, moved)
}

/** The value at a path; throws if there is none. */
function read(state: State, path: readonly string[]): Json {
  return path.reduce<Json>((at, step) => {
    if (Array.isArray(at)) return at[indexOf(at, step, at.length - 1)] as Json
    if (!isObject(at) || !Object.hasOwn(at, step)) return refuse()
    return at[step] as Json
  }, state.root)
}

/** Adds a value: inserts it into a list (`-` appends), or sets a property. */
function add(state: State, path: readonly string[], value: Json): void {
  const last = path.at(-1)
  if (last === undefined) {
    state.root = value
    return
  }
  const parent = read(state, path.slice(0, -1))
  if (Array.isArray(parent)) {
    const list = parent as Json[]
    list.splice(last === '-' ? list.length : indexOf(list, last, list.length), 0, value)
  } else if (isObject(parent)) define(parent as Record<string, Json>, last, value)
  else refuse()
}

/** Removes the value at a path, which must exist. */
function remove(state: State, path: readonly string[]): void {
  const last = path.at(-1)
  if (last === undefined) refuse()
  const parent = read(state, path.slice(0, -1))
  if (Array.isArray(parent)) (parent as Json[]).splice(indexOf(parent, last, parent.length - 1), 1)
  else if (isObject(parent) && Object.hasOwn(parent, last)) {
    delete (parent as Record<string, Json>)[last]
  } else refuse()
}

/** A list index from 0 to `max`; negative ones count from the end. */
function indexOf(list: readonly Json[], step: string, max: number): number {
  if (!/^(0|-?[1-9]\d{0,8})$/.test(step)) return refuse()
  const index = Number(step)
  const position = index < 0 ? index + list.length : index
  return position < 0 || position > max ? refuse() : position
}

/** A copy that counts towards no limit. */
function copy(value: Json): Json {
  return copied({ root: null, copyBudget: Number.POSITIVE_INFINITY }, value)
}

/** A copy that uses up `copyBudget`; throws `RequestEntityTooLarge` as soon as nothing is left of it. */
function copied(state: State, value: Json): Json {
  state.copyBudget -= typeof value === 'string' ? value.length + 2 : valueBytes
  if (state.copyBudget < 0) {
    throw new StatusError(
      'RequestEntityTooLarge',
      `Request entity too large: copy operations may add ${maxCopied} bytes at most`,
    )
  }
  if (Array.isArray(value)) return value.map((one) => copied(state, one))
  if (!isObject(value)) return value
  const out: Record<string, Json> = {}
  for (const [key, one] of Object.entries(value)) {
    state.copyBudget -= key.length
    if (one !== undefined) define(out, key, copied(state, one))
  }
  return out
}

/** The error of a patch that does not apply; the position is not named, as the reference server does not either. */
function refuse(): never {
  throw new StatusError(
    'Invalid',
    'the server rejected our request due to an error in our request',
    { details: {} },
  )
}
