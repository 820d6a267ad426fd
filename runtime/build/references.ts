/** Names that objects have of others: they follow what is named. */
import { annotationOf, definedReferences } from '../kernel/descriptors/defined-references.ts'
import type { FieldTypes } from '../kernel/descriptors/field-types.ts'
import { type FoundReference, referencesIn, type Steps } from '../kernel/descriptors/references.ts'
import { define } from '../kernel/values/define-property.ts'
import { isObject, type Json, type JsonObject } from '../kernel/values/json.ts'

/** What an object is called from now on; undefined if its name stays. */
export type Renamed = (
  reference: FoundReference,
) => { readonly name: string; readonly namespace?: string | undefined } | undefined

/** The types by which references of an object are found. */
export type TypesOf = (object: JsonObject) => FieldTypes

/** Those of a scheme, and of the kinds that definitions among the values make. */
export function typesWith(types: FieldTypes, values: readonly Json[]): TypesOf {
  const defined = new Map<string, FieldTypes>()
  for (const definition of values.flatMap(definitionsIn)) {
    const own = definedReferences(definition, types).types
    for (const kind of Object.keys(own.kinds)) defined.set(kind, own)
  }
  return ({ apiVersion, kind }) => defined.get(`${String(apiVersion)}/${String(kind)}`) ?? types
}

/** Definitions that declare references, wherever a module exports them. */
function definitionsIn(value: Json | undefined): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(definitionsIn)
  if (!isObject(value)) return []
  if (value.kind === 'CustomResourceDefinition') {
    return annotationOf(value) === undefined ? [] : [value]
  }
  const isData = typeof value.$build !== 'string' && typeof value.kind === 'string'
  return isData && value.kind !== 'List' ? [] : Object.values(value).flatMap(definitionsIn)
}

/** The object with the names that its references have now. What did not change is the object itself. */
export function withReferences(
  object: JsonObject,
  types: FieldTypes,
  renamed: Renamed,
): JsonObject {
  return referencesIn(object, types).reduce<JsonObject>((result, reference) => {
    const after = renamed(reference)
    if (after === undefined) return result
    const named = withText(result, reference.steps, after.name)
    if (reference.namespace === undefined || after.namespace === undefined) return named
    return withText(named, reference.namespace.steps, after.namespace)
  }, object)
}

/** The value with another text at a place in it. */
function withText<T extends Json>(value: T, steps: Steps, text: string): T {
  const [step, ...rest] = steps
  if (step === undefined) return text as T
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === step ? withText(item, rest, text) : item)) as never
  }
  const result = { ...(value as JsonObject) }
  const part = result[String(step)] ?? null
  define(result, String(step), withText(part, rest, text))
  return result as T
}
