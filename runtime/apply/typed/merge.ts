/** Merging an applied configuration onto a live value, and taking fields out of a value. */

import { runToCompletion, type Steps } from '../../kernel/async/slices.ts'
import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { define } from '../../kernel/values/define-property.ts'
import type { Json, JsonObject } from '../../kernel/values/json.ts'
import { type FieldSet, isEmpty } from '../field-set/field-set.ts'
import { fieldElement } from '../field-set/path-element.ts'
import {
  DuplicateItems,
  fieldShape,
  formOf,
  indexItems,
  itemElement,
  itemShape,
  own,
  workOf,
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
  if (config === undefined || live === config) return live
  if (live === undefined) return config
  const form = formOf(live, merge)
  if (form !== 'leaf' && config === null) return hasParts(live) ? live : config
  if (form === 'leaf' || formOf(config, merge) !== form)
    return deepEqual(live, config) ? live : config
  return form === 'object'
    ? yield* mergeObjects(live as JsonObject, config as JsonObject, merge)
    : yield* mergeLists(live as readonly Json[], config as readonly Json[], merge!)
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
  yield workOf(names)
  for (const name of names) {
    const before = own(live, name)
    const after = yield* mergeSteps(before, config[name], fieldShape(merge, name))
    if (after === before || after === undefined) continue
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
  yield workOf(config)
  const known = indexItems(live, merge)
  yield workOf(live)
  const names = live.map((item) => itemElement(item, merge))
  const wanted = [...stated.keys()]
  const shared = wanted.filter((name) => known.has(name))
  const shape = itemShape(merge)
  yield workOf(live)
  const result: Json[] = []
  let [at, from, next] = [0, 0, 0]
  while (at < live.length || from < wanted.length) {
    const name = names[at]
    if (name !== undefined && !stated.has(name)) result.push(live[at++]!)
    else if (name !== undefined && name !== shared[next]) at++
    else if (from < wanted.length) {
      const element = wanted[from++]!
      result.push((yield* mergeItems(known.get(element), stated.get(element)!, shape))!)
      if (element === shared[next]) next++
    } else at++
  }
  return sameItems(live, result) ? live : result
}

/** One merged item. Of repeated items the configuration's last one counts. */
function* mergeItems(
  live: Json | DuplicateItems | undefined,
  config: Json | DuplicateItems,
  shape: MergeStrategy | undefined,
): Steps<Json | undefined> {
  const given = config instanceof DuplicateItems ? config.items.at(-1) : config
  return live instanceof DuplicateItems ? given : yield* mergeSteps(live, given, shape)
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
