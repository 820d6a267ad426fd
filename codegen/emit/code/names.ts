/** The names of everything that is generated. */
import { apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import { moduleOf } from '../../schema/files/layout.ts'
import type { KindFacts } from '../../schema/ir.ts'
import type { NamedType, StructType } from '../../schema/named-type.ts'

/** The module of a type: `apis/core/v1/pod.ts`, one for each schema file. */
export function modulePath(type: NamedType): string {
  return `${moduleOf(type.at.file)}.ts`
}

/** The module of a type's reader, beside the one of the type. */
export function readerPath(type: NamedType): string {
  return modulePath(type).replace(/\.ts$/, '.read.ts')
}

/** The function that reads a value as the type: `readPod`. */
export function readerName(type: NamedType): string {
  return `read${type.name}`
}

/** The constant with the merge facts of a struct: `podSpecMerge`. */
export function mergeName(struct: StructType): string {
  return `${lowerFirst(struct.name)}Merge`
}

/** The constant that names the checks of a struct. */
export function checksName(struct: StructType): string {
  return `${lowerFirst(struct.name)}Checks`
}

/** The constant that says which fields of a struct are gated. */
export function gatedName(struct: StructType): string {
  return `${lowerFirst(struct.name)}Gated`
}

/** The constant of the conversion that the newer version of a kind declares. */
export function conversionName(kind: KindFacts): string {
  return `${lowerFirst(kind.kind)}Conversion`
}

/**
 * The constant of a kind: its plural in camel case, such as `configMaps`; `scaleBody` for one
 * without a plural.
 * The plural is in lower case in the schema. Its capitals are taken from the kind, as far as both
 * have the same letters: `ConfigMap` and `configmaps` give `configMaps`.
 */
export function kindName(kind: Pick<KindFacts, 'kind' | 'plural'>): string {
  const plural = kind.plural
  if (plural === '') return `${lowerFirst(kind.kind)}Body`
  let same = 0
  while (same < plural.length && kind.kind[same]?.toLowerCase() === plural[same]) same++
  return lowerFirst(kind.kind.slice(0, same) + plural.slice(same))
}

/**
 * `ConfigMap` gives `configMap`, `CSIDriver` gives `csiDriver`.
 * A run of capitals is one word, whose last letter belongs to the next word if a small letter
 * follows.
 */
export function lowerFirst(name: string): string {
  return name.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]+/, (capitals) => capitals.toLowerCase())
}

/**
 * `api/v1` or `apis/apps/v1`: how documents and routes name a group version.
 * It is the path below which the version is served, without the leading slash.
 */
export function versionKey(kind: { readonly group: string; readonly version: string }): string {
  return `${kind.group === '' ? 'api' : 'apis'}/${apiVersionOf(kind)}`
}

/**
 * `coordination.orch.io` gives `coordination`, the empty group `core`.
 * Groups that differ only behind their first dot share a name.
 */
export function groupName(group: string): string {
  return camel(group === '' ? 'core' : group.split('.')[0]!)
}

/** `admission-registration` gives `admissionRegistration`. */
export function camel(words: string): string {
  return words.replace(/[^A-Za-z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase())
}

/** The word with its first letter in upper case. */
export function upperFirst(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

/** A property name as source text, quoted where it has to be. */
export function property(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name)
}

/** `object.name` or `object['na-me']`. */
export function member(object: string, name: string): string {
  const key = property(name)
  return key === name ? `${object}.${name}` : `${object}[${key}]`
}

/**
 * A string literal as the formatter writes it: single quotes, unless double ones need fewer
 * escapes.
 * Non-ASCII text stays as it is; control characters are escaped as in JSON.
 */
export function quote(text: string): string {
  const double = JSON.stringify(text)
  if (text.includes("'") && !text.includes('"')) return double
  return `'${double.slice(1, -1).replace(/\\"/g, '"').replace(/'/g, "\\'")}'`
}
