/** The order in which field errors are told: that in which public servers look at the fields of an object. */
import { runInSlices, runToCompletion, type Steps } from '../../kernel/async/slices.ts'
import type { FieldType, FieldTypes } from '../../kernel/descriptors/field-types.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { TypedScheme } from './type-refusal.ts'

/** Field errors of an object in the order of telling. The tables that say it are imported for several errors only. */
export async function orderedErrors(
  { fieldTypes }: TypedScheme,
  kind: AnyKind,
  errors: readonly FieldError[],
): Promise<readonly FieldError[]> {
  if (errors.length < 2 || fieldTypes === undefined) return errors
  const types = await fieldTypes()
  const struct = types.kinds[`${apiVersionOf(kind)}/${kind.kind}`]
  if (struct === undefined) return errors
  if (errors.length < manyErrors) return inErrorOrder(types, struct, errors)
  return runInSlices(orderSteps(types, struct, errors))
}

/** Field errors of a struct in the order of telling; errors of one place stay in theirs. */
export function inErrorOrder(
  types: FieldTypes,
  struct: FieldType,
  errors: readonly FieldError[],
): readonly FieldError[] {
  return runToCompletion(orderSteps(types, struct, errors))
}

/** Errors of which other work should not have to wait until all have their place. */
const manyErrors = 1000

/** About how many microseconds the place of an error takes. */
const placeCost = 4

function* orderSteps(
  types: FieldTypes,
  struct: FieldType,
  errors: readonly FieldError[],
): Steps<readonly FieldError[]> {
  const before: Neighbours = { last: new Map(), keys: new Map(), ranks: new Map() }
  const placed: { readonly error: FieldError; readonly place: Place }[] = []
  for (const error of errors) {
    placed.push({ error, place: placeOf(types, struct, error, before) })
    yield placeCost
  }
  placed.sort((a, b) => comparePlaces(a.place, b.place))
  return placed.map(({ error }) => error)
}

/** Where an error stands in the order, level by level: ranks of fields, of items and of keys. */
type Place = readonly number[]

function comparePlaces(a: Place, b: Place): number {
  const levels = Math.min(a.length, b.length)
  for (let level = 0; level < levels; level += 1) {
    if (a[level] !== b[level]) return a[level]! - b[level]!
  }
  return 0
}

/** Where errors were found that came before one, by the path of what holds them. */
interface Neighbours {
  /** The last place: an error of a struct or a list itself stays behind it. */
  readonly last: Map<string, number>
  /** The keys of maps in the order in which they were met. */
  readonly keys: Map<string, number>
  /** The ranks of the steps of a path without its indexes, for one reason: thousands of errors differ in indexes only. */
  readonly ranks: Map<string, (number | undefined)[]>
}

/** The steps of a path: names of fields, and `[` before an index or a key. */
function stepsOf(path: string): readonly string[] {
  return path.match(/\[[^\]]*|[^.[\]]+/g) ?? []
}

function placeOf(types: FieldTypes, root: FieldType, error: FieldError, before: Neighbours): Place {
  const { path, after } = error
  const reason = reasonOf(error)
  const place: number[] = []
  const steps = stepsOf(after ?? path)
  const ranks = ranksOf(before, after ?? path, after ?? reason)
  const levels = after === undefined ? steps.length + 1 : steps.length
  let type: FieldType | undefined = root
  let holder = ''
  for (let at = 0; at < levels && type !== undefined && !isAsFound(types, type); at += 1) {
    const step = steps[at] ?? '.'
    if (step === steps[at - 1]) continue
    const fields: Fields | undefined = types.structs[type]
    const rank: number | undefined =
      fields === undefined
        ? indexOf(type, step, `${holder}${step}`, before.keys)
        : rankAt(types, type, steps, at, after ?? reason, ranks)
    const found = rank ?? (before.last.get(holder) ?? -1) + 0.5
    if (rank !== undefined) before.last.set(holder, rank)
    place.push(found)
    type = typeBelow(type, fields, step)
    holder += `${step}.`
  }
  return after === undefined ? place : [...place, Number.POSITIVE_INFINITY]
}

/** What an order may name beside a path: that a value may not change, and what is found later, is told apart from what else is wrong. */
function reasonOf({ reason, message, later }: FieldError): string {
  if (later) return 'Later'
  return message.endsWith('field is immutable') ? 'Immutable' : reason
}

/** True for a struct with an order that names nothing: errors below it are told as they were found. */
function isAsFound({ errorOrders }: FieldTypes, type: FieldType): boolean {
  return errorOrders?.[type]?.length === 0
}

/** What is known of the ranks on a path. */
function ranksOf({ ranks }: Neighbours, path: string, reason: string): (number | undefined)[] {
  const key = `${reason} ${path.replace(/\[[^\]]*/g, '[')}`
  const known = ranks.get(key) ?? []
  if (known.length === 0) ranks.set(key, known)
  return known
}

/** The rank of a step below a struct, found once for all paths that differ in indexes only. */
function rankAt(
  types: FieldTypes,
  type: FieldType,
  steps: readonly string[],
  at: number,
  reason: string,
  ranks: (number | undefined)[],
): number | undefined {
  if (!(at in ranks)) {
    const declared = Object.keys(types.structs[type] ?? {})
    ranks[at] = rankOf(types.errorOrders?.[type], declared, steps.slice(at), reason)
  }
  return ranks[at]
}

type Fields = FieldTypes['structs'][string]

/** The type of a field, an item or a value; undefined for what is not known, and of what has no parts. */
function typeBelow(
  type: FieldType,
  fields: Fields | undefined,
  step: string,
): FieldType | undefined {
  if (fields === undefined) return /^(?:\[\]|map\[string\])(.*)$/.exec(type)?.[1]
  const row = Object.hasOwn(fields, step) ? fields[step] : undefined
  return typeof row === 'object' ? row[0] : row
}

/** The index of an item, or when the key of a map was first met; undefined for the list or map itself. */
function indexOf(
  type: FieldType,
  step: string,
  path: string,
  keys: Neighbours['keys'],
): number | undefined {
  if (!step.startsWith('[')) return undefined
  if (type.startsWith('[]')) return Number(step.slice(1)) || 0
  const known = keys.get(path) ?? keys.size
  keys.set(path, known)
  return known
}

/**
 * The rank of what is below a struct, undefined for the struct itself in no place of its own. What an order does not name comes last,
 * all of it in one place; without an order fields are told as they are declared.
 */
function rankOf(
  order: readonly string[] | undefined,
  declared: readonly string[],
  steps: readonly string[],
  reason: string,
): number | undefined {
  const names = steps.filter((step) => !step.startsWith('['))
  const [name = '.'] = names
  const rank = order === undefined ? -1 : namedRank(order, names, steps, reason)
  if (rank >= 0) return rank
  if (name === '.') return undefined
  const position = declared.indexOf(name)
  return order?.length ?? (position < 0 ? declared.length : position)
}

/** The index of the entry that fits best; -1 if there is none. */
function namedRank(
  order: readonly string[],
  names: readonly string[],
  steps: readonly string[],
  reason: string,
): number {
  const path = names.length === 0 ? '.' : names.join('.')
  const exact = order.indexOf(`${path} ${reason.replace(/^FieldValue/, '')}`)
  if (exact >= 0) return exact
  if (reason === 'Immutable' || reason === 'Later')
    return namedRank(order, names, steps, 'FieldValueInvalid')
  for (let depth = names.length; depth > 1; depth -= 1) {
    const rank = order.indexOf(names.slice(0, depth).join('.'))
    if (rank >= 0) return rank
  }
  const [name = '.'] = names
  const inItem = steps[1]?.startsWith('[') ? order.indexOf(`${name}[]`) : -1
  return inItem >= 0 ? inItem : order.indexOf(name)
}
