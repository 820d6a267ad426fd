/**
 * From definitions of other people's kinds to schema files: `orch generate` makes typed clients of them. Nothing is read or
 * written here.
 */
import { stringify } from 'yaml'
import { isObject } from '../../runtime/kernel/values/json.ts'
import { schemaFileOf, versionNames } from './definition-file.ts'
import { SchemaTooLargeError } from './inlined-schema.ts'
import { leftOut } from './left-out.ts'
import { definitionsOfDocument, isOpenApiDocument } from './openapi-document.ts'
import { asOtherVersion } from './other-versions.ts'
import { listOf, type Untyped } from './structural-schema.ts'
import { YamlTextError, yamlDocuments } from './yaml-documents.ts'

/** What became of definitions. */
export interface Imported {
  /** Schema files by path in the schema folder. */
  readonly files: ReadonlyMap<string, string>
  /** What could not be carried over, one line each, with the file that it concerns. */
  readonly notes: readonly string[]
}

/** A text that holds no definitions: the message says what it holds, or where it is no YAML. */
export class NotImportableError extends Error {}

/** A definition, as far as it is chosen by. */
export interface ImportableDefinition {
  readonly group: string
  readonly kind: string
  /** The whole object. */
  readonly object: Untyped
}

/**
 * The CustomResourceDefinitions in a text of YAML documents or JSON, those in lists among them, and the kinds of OpenAPI v3
 * documents as definitions. Throws a NotImportableError.
 */
export function definitionsIn(text: string): readonly ImportableDefinition[] {
  const objects = documentsOf(text).flatMap(objectsOf)
  const found = objects.flatMap((object) =>
    isOpenApiDocument(object) ? kindsOf(object) : isDefinition(object) ? [object] : [],
  )
  if (found.length > 0) return found.map(importableDefinition)
  const named = objects.map(
    ({ kind, apiVersion }) =>
      `${kind ?? 'something without a kind'}${apiVersion ? ` of ${apiVersion}` : ''}`,
  )
  const what = named.length === 0 ? 'nothing' : [...new Set(named)].join(', ')
  throw new NotImportableError(
    `expected CustomResourceDefinition of apiextensions.k8s.io/v1 or an OpenAPI v3 document with kinds, found ${what}`,
  )
}

function kindsOf(document: Untyped): readonly Untyped[] {
  try {
    return definitionsOfDocument(document)
  } catch (error) {
    throw error instanceof SchemaTooLargeError ? new NotImportableError(error.message) : error
  }
}

function documentsOf(text: string): readonly unknown[] {
  try {
    return yamlDocuments(text)
  } catch (error) {
    throw error instanceof YamlTextError ? new NotImportableError(error.message) : error
  }
}

/** A definition that a server gave. */
export function importableDefinition(object: Untyped): ImportableDefinition {
  return { ...identityOf(object), object }
}

/** What definitions are chosen by; a broken one is of the group "undefined". */
function identityOf({ spec }: Untyped): { readonly group: string; readonly kind: string } {
  const { group, names } = isObject(spec) ? spec : {}
  return { group: String(group), kind: String(isObject(names) ? names.kind : undefined) }
}

/** A document, or what a list holds. */
function objectsOf(value: unknown): readonly Untyped[] {
  if (!isObject(value)) return []
  return Array.isArray(value.items) ? listOf(value.items).flatMap(objectsOf) : [value]
}

/** Of the public group or one of the same name; items of a list may leave their kind out. */
function isDefinition({ apiVersion, kind, spec }: Untyped): boolean {
  if (kind === undefined) return isObject(spec) && Array.isArray(spec.versions)
  return kind === 'CustomResourceDefinition' && /^apiextensions\..*\/v1$/.test(String(apiVersion))
}

/**
 * The schema files of definitions: of the version named in `version`, where they have it, else of every served one. Objects are
 * stored in the version that the definition stores, or in the first one if that is not served.
 */
export function importDefinitions(
  definitions: readonly ImportableDefinition[],
  version?: string,
): Imported {
  const files = new Map<string, string>()
  const notes: string[] = []
  for (const { object: definition } of definitions) {
    const names = versionNames(definition)
    const chosen = version !== undefined && names.includes(version) ? [version] : names
    const found = chosen.flatMap((name) => {
      const skipped = leftOut()
      const file = schemaFileOf(definition, name, skipped.note)
      return file === undefined ? [] : [{ file, skipped }]
    })
    const [stored] = found
    if (stored === undefined) {
      const name = isObject(definition.metadata) ? definition.metadata.name : undefined
      notes.push(`${name}: left out, it has no schema or names that no server accepts`)
    }
    for (const { file, skipped } of found) {
      const first = file === stored?.file
      const whole = first || !stored ? file : asOtherVersion(file, stored.file, skipped.note)
      files.set(
        file.path,
        stringify(whole.content, { lineWidth: 120, aliasDuplicateObjects: false }),
      )
      notes.push(...skipped.lines().map((line) => `${file.path}: ${line}`))
    }
  }
  return { files, notes }
}
