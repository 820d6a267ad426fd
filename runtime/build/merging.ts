/** Layers over a base, by the algebra of server-side apply, and strategic merge patches. */
import {
  applyConfig,
  type Conflicts,
  difference,
  type Managers,
  noFields,
  printFields,
  statedFields,
  strategicMerge,
  type VersionViews,
} from '../apply/apply.ts'
import type { MergeStrategy } from '../kernel/descriptors/kind.ts'
import { errorText } from '../kernel/errors/error-text.ts'
import { isObject, type JsonObject } from '../kernel/values/json.ts'
import { describe, identityOf, keyOf } from './identity.ts'
import type { Problem } from './problem.ts'
import { mergedPlaces, type Sourced, type SourcedObject, spotOf } from './sourced.ts'

/** How objects of a kind merge. */
export type MergeOf = (object: JsonObject) => MergeStrategy

/** Objects of one owner. */
export interface Layer {
  readonly owner: string
  readonly objects: readonly SourcedObject[]
}

const base = 'base'

/** The objects of the base with those of the layers on them. */
export function overlaid(
  objects: readonly SourcedObject[],
  layers: readonly Layer[],
  mergeOf: MergeOf,
  tell: (problem: Problem) => void,
): readonly SourcedObject[] {
  const all = new Map(objects.map((one) => [keyOf(one.value), [{ owner: base, ...one }]]))
  for (const { owner, objects } of layers) {
    for (const one of objects) {
      const key = keyOf(one.value)
      all.set(key, [...(all.get(key) ?? []), { owner, ...one }])
    }
  }
  return [...all.values()].map((stated) => merged(stated, mergeOf, tell))
}

type Owned = SourcedObject & { readonly owner: string }

function merged(
  stated: readonly Owned[],
  mergeOf: MergeOf,
  tell: (problem: Problem) => void,
): SourcedObject {
  const [first, ...others] = stated as readonly [Owned, ...Owned[]]
  if (others.length === 0) return first
  const merge = mergeOf(first.value)
  const { apiVersion } = identityOf(first.value)
  const view = { merge, restrict: <T>(fields: T) => fields, convert: <T>(object: T) => object }
  const views: VersionViews = (version) => (version === apiVersion ? view : undefined)
  const manager = { operation: 'Apply' as const, apiVersion }
  const fields = statedFields(first.value, merge, [])
  let managers: Managers = [{ ...manager, manager: first.owner, fields }]
  let live = first.value
  for (const layer of others) {
    const result = applyConfig({
      live,
      managers,
      config: layer.value,
      writer: { manager: layer.owner, apiVersion },
      force: false,
      forcedFields: fieldsOfBase(managers),
      empty: {},
      views,
      now: '',
    })
    if ('object' in result) {
      live = result.object
      managers = result.managers
    } else if ('problems' in result) {
      tell({
        rule: 'build.value',
        message: `${describe(layer.value)}: ${result.problems.join('; ')}`,
        ...spotted(layer, ''),
      })
    } else tellConflicts(result.conflicts, layer, stated, tell)
  }
  return { value: live, places: mergedPlaces(live, stated) }
}

/** The fields that no layer has stated yet: layers are there to state them. */
function fieldsOfBase(managers: Managers) {
  const own = managers.find(({ manager }) => manager === base)?.fields ?? noFields
  const others = managers.filter(({ manager }) => manager !== base)
  return others.reduce((rest, { fields }) => difference(rest, fields), own)
}

function tellConflicts(
  conflicts: Conflicts,
  layer: Owned,
  stated: readonly Owned[],
  tell: (problem: Problem) => void,
): void {
  for (const { manager, fields } of conflicts) {
    const other = stated.find(({ owner }) => owner === manager.manager) as Owned
    for (const path of printFields(fields)) {
      const there = spotOf(other, path)
      const words = `${describe(layer.value)}: ${path}: ${layer.owner} and ${other.owner} state different values`
      tell({
        rule: 'build.conflict',
        message: words,
        ...spotted(layer, path),
        ...(there && { related: [{ message: `${other.owner} states it here`, at: there }] }),
      })
    }
  }
}

/** The objects with patches, each of which names an object. */
export function patchedObjects(
  objects: readonly SourcedObject[],
  patches: readonly SourcedObject[],
  mergeOf: MergeOf,
  tell: (problem: Problem) => void,
): readonly SourcedObject[] {
  const all = new Map(objects.map((one) => [keyOf(one.value), one]))
  for (const patch of patches) {
    const key = keyOf(patch.value)
    const before = all.get(key)
    if (before === undefined) {
      tell({
        rule: 'build.value',
        message: `${describe(patch.value)}: a patch of an object that is not there`,
        ...spotted(patch, ''),
      })
    } else if (patch.value.$patch === 'delete') all.delete(key)
    else patchOne(all, key, before, patch, mergeOf, tell)
  }
  return [...all.values()]
}

function patchOne(
  all: Map<string, SourcedObject>,
  key: string,
  before: SourcedObject,
  patch: SourcedObject,
  mergeOf: MergeOf,
  tell: (problem: Problem) => void,
): void {
  try {
    const value = strategicMerge(before.value, patch.value, mergeOf(before.value))
    if (!isObject(value)) return
    all.set(key, { value, places: mergedPlaces(value, [before, patch]) })
  } catch (error) {
    const message = `${describe(patch.value)}: ${errorText(error)}`
    tell({ rule: 'build.value', message, ...spotted(patch, '') })
  }
}

function spotted(of: Sourced, path: string) {
  const at = spotOf(of, path)
  return at === undefined ? {} : { at }
}
