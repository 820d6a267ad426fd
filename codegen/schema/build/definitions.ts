/** The definitions of schema files, and the references between them. */
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import { isForeign, packageOf, resolveRef, roleOf } from '../files/layout.ts'
import type { Documents } from '../files/load.ts'
import { ownPrefix } from '../files/sources.ts'
import type { Report } from '../finding.ts'
import type { Marker } from '../ir.ts'
import { fileShape } from '../keys/file-keys.ts'
import { once } from '../once.ts'
import type { Position } from '../position.ts'
import { entries, get, text, type YamlNode } from '../yaml/node.ts'
import type { BuiltDefinition, BuiltTypeFile } from './built-file.ts'
import { type Located, type Schema, schemaReader } from './json-schema.ts'
import { checkShape } from './mapping-shape.ts'

/** A definition of a schema file, not yet a type. */
export interface Definition {
  readonly id: string
  readonly name: string
  readonly file: string
  readonly package: string
  readonly group: string
  readonly version: string
  readonly foreign: boolean
  /** What is required of its structs may be absent and is judged as its zero value (`absent: zero` of its file). */
  readonly absentIsZero: boolean
  readonly at: Position
  readonly node: YamlNode
  readonly schema: Schema
  /** What an earlier run without findings built from it as it is now. */
  readonly built?: BuiltDefinition
}

/** All definitions, and the way from a reference to the definition that it names. */
export interface Definitions {
  /** Every definition once, in order of files. */
  readonly all: readonly Definition[]
  /** Those that are built in this run: what rules about single definitions check. */
  readonly fresh: readonly Definition[]
  /** The definition that `ref` names, seen from `file`; undefined if there is none. */
  find(ref: string, file: string): Definition | undefined
}

/** Reads the definitions of every document of types. A name that a package defines twice is a finding. */
export function readDefinitions(
  { documents, builtFile }: Documents,
  markers: readonly Marker[],
  report: Report,
): Definitions {
  const all = [...documents]
    .filter(([file]) => roleOf(file) === 'types')
    .flatMap(([file, node]) => {
      const read = schemaReader(markers, report)
      const known = builtFile(file)
      return known?.is === 'types'
        ? knownDefinitions(file, node, known, read)
        : definitionsOf(file, node, read, report)
    })
  const byId = uniqueById(all, report)
  return {
    all: [...byId.values()],
    fresh: [...byId.values()].filter(({ built }) => built === undefined),
    find: finder(all),
  }
}

/** The definitions by id. Those after the first of an id are reported and left out. */
function uniqueById(all: readonly Definition[], report: Report): ReadonlyMap<string, Definition> {
  const byId = new Map<string, Definition>()
  for (const each of all) {
    const first = byId.get(each.id)
    if (first === undefined) byId.set(each.id, each)
    else {
      const where = `${first.at.file}:${first.at.line}`
      report(each.at, 'duplicate-definition', `"${each.name}" is already defined in ${where}`)
    }
  }
  return byId
}

/**
 * Finds definitions by reference, each reference of a file once.
 * A file of orch's own root is found under its name with `orch:`, else under the one without:
 * which of the two it has depends on the root that is generated.
 */
function finder(all: readonly Definition[]): Definitions['find'] {
  const byAddress = new Map(all.map((each) => [`${each.file}#${each.name}`, each]))
  const resolve = (ref: string, file: string): Definition | undefined => {
    const address = resolveRef(ref, file)
    if (address === undefined) return undefined
    const { file: from, name } = address
    const own = from.startsWith(ownPrefix) ? from.slice(ownPrefix.length) : from
    return byAddress.get(`${from}#${name}`) ?? byAddress.get(`${own}#${name}`)
  }
  const found = new Map<string, Definition | undefined>()
  return (ref, file) => {
    const key = `${file} ${ref}`
    if (!found.has(key)) found.set(key, resolve(ref, file))
    return found.get(key)
  }
}

/** Reports a reference that names no definition, with what it may have meant. */
export function reportDangling(
  definitions: Definitions,
  ref: Located<string>,
  file: string,
  report: Report,
): void {
  const place = resolveRef(ref.value, file)
  if (place === undefined) {
    const wanted = 'expected [FILE]#/definitions/NAME'
    report(ref.at, 'dangling-ref', `"${ref.value}" is not a reference to a definition; ${wanted}`)
    return
  }
  const inFile = definitions.all.filter((each) => each.file === place.file)
  if (inFile.length === 0) {
    const files = new Set(definitions.all.map((each) => each.file))
    report(
      ref.at,
      'dangling-ref',
      `there is no schema file "${place.file}"${didYouMean(place.file, files)}`,
    )
    return
  }
  const names = inFile.map((each) => each.name)
  const message = `"${place.file}" does not define "${place.name}"${didYouMean(place.name, names)}`
  report(ref.at, 'dangling-ref', message)
}

/**
 * A schema file has a group, a version and its definitions by name:
 *
 *   group: apps
 *   version: v1
 *   absent: zero
 *   definitions:
 *     Deployment: { ... }
 *
 * With `absent: zero` a required field that says nothing else about its zero value may be absent: what is judged is its zero value.
 */
function definitionsOf(
  file: string,
  node: YamlNode,
  read: ReturnType<typeof schemaReader>,
  report: Report,
): readonly Definition[] {
  if (text(get(node, 'kind')) === 'CustomResourceDefinition') {
    const command = 'orch import FILE --schemas DIR'
    const message = `this is a definition, not a schema file; make one of it: ${command}`
    report(node.at, 'wrong-file', message)
    return []
  }
  if (!checkShape(node, 'a schema file', fileShape, report)) return []
  const absent = get(node, 'absent')
  if (absent !== undefined && text(absent) !== 'zero')
    report(absent.at, 'wrong-value', '"absent" takes the word zero')
  const group = text(get(node, 'group')) ?? ''
  const version = text(get(node, 'version')) ?? ''
  const named = naming(file, group, version)
  const zero = absentIsZero(node)
  return entries(get(node, 'definitions')).map(({ key, keyAt, value }) => ({
    ...named(key),
    absentIsZero: zero,
    at: keyAt,
    node: value,
    schema: read(value, 'definition'),
  }))
}

/** Definitions that an earlier run built: their nodes and schemas are read only if something asks for them. */
function knownDefinitions(
  file: string,
  document: YamlNode,
  { group, version, definitions: parts }: BuiltTypeFile,
  read: ReturnType<typeof schemaReader>,
): readonly Definition[] {
  const named = naming(file, group, version)
  return parts.map((part): Definition => {
    const nodeOf = once(() => get(get(document, 'definitions'), part.name) ?? document)
    const schemaOf = once(() => read(nodeOf(), 'definition'))
    const lazy = {
      get node() {
        return nodeOf()
      },
      get schema() {
        return schemaOf()
      },
      get absentIsZero() {
        return absentIsZero(document)
      },
    }
    return Object.assign(lazy, named(part.name), { at: part.at, built: part })
  })
}

/** True for a file with `absent: zero`. */
function absentIsZero(document: YamlNode): boolean {
  return text(get(document, 'absent')) === 'zero'
}

/** What the definitions of one file have in common, and an id for each name. */
function naming(file: string, group: string, version: string) {
  const packageName = packageOf(file, group, version)
  const foreign = isForeign(file)
  return (name: string) => {
    return {
      id: `${packageName}.${name}`,
      name,
      file,
      package: packageName,
      group,
      version,
      foreign,
    }
  }
}
