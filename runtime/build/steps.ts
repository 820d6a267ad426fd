/** What a configuration module exports, made into objects. */
import type { FieldTypes } from '../kernel/descriptors/field-types.ts'
import { isObject, type JsonObject } from '../kernel/values/json.ts'
import { contentHash } from './hash.ts'
import { describe, type Identity, identityOf, keyOf } from './identity.ts'
import { type MergeOf, overlaid, patchedObjects } from './merging.ts'
import { compareObjects } from './order.ts'
import type { Problem } from './problem.ts'
import { type Renamed, type TypesOf, typesWith, withReferences } from './references.ts'
import { itemsOf, partOf, type Sourced, type SourcedObject } from './sourced.ts'

/** What a configuration came to. */
export interface Built {
  readonly objects: readonly SourcedObject[]
  readonly problems: readonly Problem[]
}

/** What is known of kinds. */
export interface BuildKinds {
  readonly mergeOf: MergeOf
  readonly isNamespaced: (object: JsonObject) => boolean
  readonly fieldTypes: FieldTypes
}

/** The objects that exported values stand for, in order. */
export function buildObjects(
  exported: readonly Sourced[],
  { mergeOf, isNamespaced, fieldTypes }: BuildKinds,
): Built {
  const problems: Problem[] = []
  const tell = (problem: Problem) => problems.push(problem)
  const values = exported.map(({ value }) => value)
  const context = { mergeOf, isNamespaced, typesOf: typesWith(fieldTypes, values), tell }
  const found = exported.flatMap((one) => objectsOf(one, context))
  const objects = followHashes(found, context)
  const seen = new Map<string, SourcedObject>()
  for (const one of objects) {
    const first = seen.get(keyOf(one.value))
    if (first !== undefined) tell(twice(one, first))
    seen.set(keyOf(one.value), first ?? one)
  }
  const sorted = [...objects].sort((a, b) => compareObjects(a.value, b.value))
  return { objects: sorted.map(withoutMark), problems }
}

interface Context extends Omit<BuildKinds, 'fieldTypes'> {
  readonly typesOf: TypesOf
  readonly tell: (problem: Problem) => void
}

function objectsOf(sourced: Sourced, context: Context): readonly SourcedObject[] {
  const { value } = sourced
  if (Array.isArray(value)) return itemsOf(sourced).flatMap((one) => objectsOf(one, context))
  if (!isObject(value)) return [...refused(sourced, context)]
  if (typeof value.$build === 'string') return stepOf(sourced as SourcedObject, context)
  if (value.kind === 'List' && Array.isArray(value.items)) return below(sourced, 'items', context)
  if (typeof value.apiVersion !== 'string' || typeof value.kind !== 'string') {
    return [...refused(sourced, context)]
  }
  return [sourced as SourcedObject]
}

function refused({ value, places }: Sourced, { tell }: Context): readonly never[] {
  const what = value === null || typeof value !== 'object' ? JSON.stringify(value) : 'an object'
  const message = `${what} stands where an object with apiVersion and kind, or a list of such, has to be`
  tell({ rule: 'build.value', message, ...(places.at && { at: places.at }) })
  return []
}

function below(sourced: Sourced, key: string, context: Context): readonly SourcedObject[] {
  const part = partOf(sourced, key)
  return part === undefined ? [] : objectsOf(part, context)
}

function stepOf(step: SourcedObject, context: Context): readonly SourcedObject[] {
  const { mergeOf, tell } = context
  switch (step.value.$build) {
    case 'hashed':
      return below(step, 'object', context).map(withHash)
    case 'named':
      return renamed(below(step, 'objects', context), step.value.names as JsonObject, context)
    case 'patched':
      return patchedObjects(
        below(step, 'objects', context),
        below(step, 'patches', context),
        mergeOf,
        tell,
      )
    case 'overlay': {
      const layers = partOf(step, 'layers') as Sourced
      const owners = Object.keys(layers.value as object)
      const parts = owners.map((owner) => ({ owner, objects: below(layers, owner, context) }))
      return overlaid(below(step, 'base', context), parts, mergeOf, tell)
    }
    default:
      return [...refused(step, context)]
  }
}

/** Says until the end that the name gets a hash: of what the object holds then, as layers may change it. */
const mark = '$hashed'

function withHash({ value, places }: SourcedObject): SourcedObject {
  return { value: { ...value, [mark]: true }, places }
}

function withoutMark({ value, places }: SourcedObject): SourcedObject {
  const { [mark]: _, ...rest } = value
  return { value: rest, places }
}

/** Names of config maps and secrets with their hashes, and what refers to them. */
function followHashes(
  objects: readonly SourcedObject[],
  { typesOf }: Context,
): readonly SourcedObject[] {
  const names = new Map<string, string>()
  const after = objects.map((one) => {
    if (one.value[mark] !== true) return one
    const { namespace, kind, name } = identityOf(one.value)
    const full = `${name}-${contentHash(one.value)}`
    names.set([namespace, kind, name].join('\0'), full)
    return { ...one, value: withMetadata(one.value, { name: full }) }
  })
  if (names.size === 0) return after
  return after.map((one) => {
    const { namespace: own } = identityOf(one.value)
    const renamed: Renamed = ({ group = '', kind, name, namespace }) => {
      const full = names.get([namespace?.text ?? own, kind, name].join('\0'))
      return full === undefined || group !== '' ? undefined : { name: full }
    }
    return { ...one, value: withReferences(one.value, typesOf(one.value), renamed) }
  })
}

function withMetadata(object: JsonObject, more: JsonObject): JsonObject {
  return { ...object, metadata: { ...(object.metadata as JsonObject), ...more } }
}

/** Kinds that keep their names: those of namespaces and definitions are said elsewhere. */
const unnamed = new Set(['CustomResourceDefinition', 'Namespace'])

function renamed(
  objects: readonly SourcedObject[],
  { prefix, suffix, namespace }: JsonObject,
  { isNamespaced, typesOf }: Context,
): readonly SourcedObject[] {
  const word = (value: unknown) => (typeof value === 'string' ? value : '')
  const after = objects.map((one) => {
    const { kind, name } = identityOf(one.value)
    const own = unnamed.has(kind) ? name : `${word(prefix)}${name}${word(suffix)}`
    const place = word(namespace) !== '' && isNamespaced(one.value) ? { namespace } : {}
    return { ...one, value: withMetadata(one.value, { name: own, ...place } as JsonObject) }
  })
  const names = new Map<string, Identity[]>()
  for (const [index, { value }] of objects.entries()) {
    const { group, kind, name } = identityOf(value)
    const now = { ...identityOf((after[index] as SourcedObject).value), group }
    names.set(`${kind}\0${name}`, [...(names.get(`${kind}\0${name}`) ?? []), now])
  }
  const find: Renamed = ({ group, kind, name }) => {
    const found = names.get(`${kind}\0${name}`) ?? []
    const one = found.find((each) => group === undefined || each.group === group)
    return one && { name: one.name, namespace: one.namespace || undefined }
  }
  return after.map((one) => ({
    ...one,
    value: withReferences(one.value, typesOf(one.value), find),
  }))
}

function twice(one: SourcedObject, first: SourcedObject): Problem {
  const { at } = first.places
  return {
    rule: 'build.conflict',
    message: `${describe(one.value)} is stated twice; overlay() and patched() change an object that is there`,
    ...(one.places.at && { at: one.places.at }),
    ...(at && { related: [{ message: 'it is stated here first', at }] }),
  }
}
