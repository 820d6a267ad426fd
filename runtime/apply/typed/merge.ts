/** Merging an applied configuration onto a live value, and taking fields out of a value. */

import { addWork, runToCompletion, type Steps, takeWork } from '../../kernel/async/slices.ts'
import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { define } from '../../kernel/values/define-property.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { type FieldSet, isEmpty } from '../field-set/field-set.ts'
import { fieldElement } from '../field-set/path-element.ts'
import {
  DuplicateItems,
  fieldShape,
  formOf,
  hasSameScalars,
  indexItems,
  isScalar,
  itemElement,
  itemShape,
  own,
} from './merge-shape.ts'

/**
 * The live value with everything that the configuration states. What stays as it was is the live value itself, down to
 * each part: an unchanged value is recognised by identity.
 */
export function mergeConfig(
  live: Json | undefined,
  config: Json | undefined,
  merge: MergeStrategy | undefined,
): Json | undefined {
  return runToCompletion(mergeSteps(live, config, merge))
}

/** `mergeConfig` in steps. */
export function* mergeSteps(
  live: Json | undefined,
  config: Json | undefined,
  merge: MergeStrategy | undefined,
): Steps<Json | undefined> {
  if (config === undefined) return live
  const whole = mergeWhole(live, config, merge)
  return whole === undefined ? yield* mergeParts(live!, config, merge) : whole
}

/** The one of two values that a merge takes as a whole; undefined where both have parts that merge. */
function mergeWhole(
  live: Json | undefined,
  config: Json,
  merge: MergeStrategy | undefined,
): Json | undefined {
  if (live === undefined || isScalar(config)) return config
  if (live === config) return live
  const form = formOf(live, merge)
  if (form !== 'leaf' && config === null) return hasParts(live) ? live : config
  if (form !== 'leaf' && formOf(config, merge) === form)
    return isObject(config) && hasSameScalars(config, live as JsonObject) ? live : undefined
  return deepEqual(live, config) ? live : config
}

function mergeParts(live: Json, config: Json, merge: MergeStrategy | undefined): Steps<Json> {
  return Array.isArray(live)
    ? mergeLists(live, config as readonly Json[], merge!)
    : mergeObjects(live as JsonObject, config as JsonObject, merge)
}

function hasParts(value: Json): boolean {
  return Object.keys(value as object).length > 0
}

function* mergeObjects(
  live: JsonObject,
  config: JsonObject,
  merge: MergeStrategy | undefined,
): Steps<Json> {
  let result: Record<string, Json> | undefined
  const names = Object.keys(config)
  for (const name of names) {
    if (addWork(1)) yield takeWork()
    const given = config[name]
    if (given === undefined) continue
    const [before, shape] = [own(live, name), fieldShape(merge, name)]
    const whole = mergeWhole(before, given, shape)
    const after = whole === undefined ? yield* mergeParts(before!, given, shape) : whole
    if (after === before) continue
    result ??= { ...(live as Record<string, Json>) }
    define(result, name, after)
  }
  return result ?? live
}

/**
 * Items of both lists, each once. The configuration's order wins among the items that both have; items that only the
 * live list has stay behind the neighbour that they had.
 */
function* mergeLists(
  live: readonly Json[],
  config: readonly Json[],
  merge: MergeStrategy,
): Steps<Json> {
  const stated = indexItems(config, merge)
  if (addWork(config.length + 1)) yield takeWork()
  const known = indexItems(live, merge)
  if (addWork(live.length + 1)) yield takeWork()
  const names = live.map((item) => itemElement(item, merge))
  const wanted = [...stated.keys()]
  const shared = wanted.filter((name) => known.has(name))
  const shape = itemShape(merge)
  if (addWork(live.length + 1)) yield takeWork()
  const result: Json[] = []
  let [at, from, next] = [0, 0, 0]
  while (at < live.length || from < wanted.length) {
    if (addWork(1)) yield takeWork()
    const name = names[at]
    if (name !== undefined && !stated.has(name)) result.push(live[at++]!)
    else if (name !== undefined && name !== shared[next]) at++
    else if (from < wanted.length) {
      const element = wanted[from++]!
      const [before, given] = [known.get(element), lastOf(stated.get(element)!)]
      const whole = before instanceof DuplicateItems ? given : mergeWhole(before, given, shape)
      result.push(whole === undefined ? yield* mergeParts(before as Json, given, shape) : whole)
      if (element === shared[next]) next++
    } else at++
  }
  return sameItems(live, result) ? live : result
}

/** Of repeated items the last one counts. */
function lastOf(item: Json | DuplicateItems): Json {
  return item instanceof DuplicateItems ? item.items.at(-1)! : item
}

function sameItems(a: readonly Json[], b: readonly Json[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}

/**
 * The value without the fields of a set, each with everything below it. Parts that lose nothing stay themselves; what loses
 * all that it had is null, as in release 1.29.
 */
export function withoutFields(
  value: Json,
  fields: FieldSet,
  merge: MergeStrategy | undefined,
): Json {
  const form = isEmpty(fields) ? 'leaf' : formOf(value, merge)
  if (form === 'leaf') return value
  if (form === 'object') return thinObject(value as JsonObject, fields, merge)
  const items = (value as readonly Json[]).flatMap((item) => {
    const node = fields[itemElement(item, merge!)]
    if (node === undefined) return [item]
    return isEmpty(node) ? [] : [withoutFields(item, node, itemShape(merge))]
  })
  if (sameItems(value as readonly Json[], items)) return value
  return items.length === 0 ? null : items
}

/** An object without the fields of a set. */
function thinObject(value: JsonObject, fields: FieldSet, merge: MergeStrategy | undefined): Json {
  const result: Record<string, Json> = {}
  let thinner = false
  for (const [name, part] of Object.entries(value)) {
    if (part === undefined) continue
    const node = fields[fieldElement(name)]
    if (node === undefined) define(result, name, part)
    else if (isEmpty(node)) thinner = true
    else {
      const rest = withoutFields(part, node, fieldShape(merge, name))
      if (rest !== part) thinner = true
      define(result, name, rest)
    }
  }
  if (!thinner) return value
  return Object.keys(result).length === 0 ? null : result
}
