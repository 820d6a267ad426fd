/** References that a CustomResourceDefinition declares of its kind, in an annotation. */
import { isObject, type Json, type JsonObject } from '../values/json.ts'
import type { FieldTypes } from './field-types.ts'
import type { ReferenceRow } from './reference-row.ts'
import { referencesAnnotation } from './references.ts'

/** The types by which references are found in objects of the kind, in all its versions; what is wrong with the declaration. */
export interface DefinedReferences {
  readonly types: FieldTypes
  readonly problems: readonly string[]
}

const metadata = 'meta/v1.ObjectMeta'
const owner = 'meta/v1.OwnerReference'

/** Reads the annotation of a definition. Rows that are wrong are left out. */
export function definedReferences(definition: JsonObject, base: FieldTypes): DefinedReferences {
  const { rows, problems } = statedReferences(definition)
  const { group, names, versions } = isObject(definition.spec) ? definition.spec : {}
  const kind = `${String(group)}.${String(isObject(names) ? names.kind : '')}`
  const stated = (Array.isArray(versions) ? versions : []).flatMap((version) => {
    const key = `${String(group)}/${String(isObject(version) ? version.name : '')}`
    return [[`${key}/${kind.slice(kind.lastIndexOf('.') + 1)}`, kind]]
  })
  return {
    types: {
      structs: { [kind]: { metadata }, [metadata]: base.structs[metadata] ?? {} },
      references: { [kind]: rows, [owner]: base.references?.[owner] ?? [] },
      unions: {},
      kinds: Object.fromEntries(stated),
    },
    problems,
  }
}

/** The references as the annotation of a definition states them. */
export function statedReferences(definition: JsonObject): {
  readonly rows: readonly ReferenceRow[]
  readonly problems: readonly string[]
} {
  const text = annotationOf(definition)
  if (text === undefined) return { rows: [], problems: [] }
  const stated = parsed(text)
  if (!Array.isArray(stated)) {
    return { rows: [], problems: ['a list of references as JSON has to stand here'] }
  }
  const problems = stated.flatMap((row, index) => problemOf(row).map((one) => `[${index}] ${one}`))
  return { rows: stated.filter((row) => problemOf(row).length === 0) as ReferenceRow[], problems }
}

/** The text of the annotation; undefined for a definition without one. */
export function annotationOf({ metadata: meta }: JsonObject): string | undefined {
  const annotations = isObject(meta) ? meta.annotations : undefined
  const text = isObject(annotations) ? annotations[referencesAnnotation] : undefined
  return typeof text === 'string' ? text : undefined
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const texts = [
  'field',
  'kind',
  'kindField',
  'group',
  'groupField',
  'namespaceField',
  'keys',
  'only',
] as const

function problemOf(row: Json): readonly string[] {
  if (!isObject(row)) return ['is no object']
  const unknown = Object.keys(row).find((key) => key !== 'always' && !isText(key))
  if (unknown !== undefined) return [`has an unknown key "${unknown}"`]
  const wrong = texts.find((key) => row[key] !== undefined && typeof row[key] !== 'string')
  if (wrong !== undefined) return [`has a "${wrong}" that is no text`]
  const { always = [] } = row
  if (!Array.isArray(always) || always.some((one) => typeof one !== 'string')) {
    return ['has an "always" that is no list of texts']
  }
  if (row.field === undefined) return ['has no "field"']
  if ((row.kind === undefined) === (row.kindField === undefined)) {
    return ['has to have either "kind" or "kindField"']
  }
  return []
}

function isText(key: string): boolean {
  return (texts as readonly string[]).includes(key)
}
