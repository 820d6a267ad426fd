/** Emits the published OpenAPI v3 documents: one for each served group version, with every schema it refers to. */
import type { ModuleArtefact, Specifiers, TextArtefact } from '../artefact.ts'
import { importsOf } from '../code/imports.ts'
import { quote, upperFirst, versionKey } from '../code/names.ts'
import type { Model } from '../model/model.ts'
import { closureOf } from '../model/references.ts'
import { json } from './json.ts'
import { metaTypes, pathsOf } from './paths.ts'
import { componentOf, listSchema, schemaName } from './schemas.ts'

/** A published document; its key is `api/v1` or `apis/apps/v1`. */
export interface Document {
  readonly key: string
  /** The schema files of its kinds. */
  readonly from: readonly string[]
  readonly document: object
}

/** The keys of a tree's documents, sorted. */
export function documentKeys(model: Model): readonly string[] {
  return [...new Set(model.kinds.map(versionKey))].sort()
}

/**
 * The document of a group version, as an object.
 * Schemas are those of the version's kinds, of the bodies of their subresources and of what both
 * refer to, with a list for each kind that can be listed. A document therefore stands alone: no
 * reference leaves it.
 */
export function documentOf(key: string, model: Model): Document {
  const kinds = model.kindsIn('version', key)
  const { platform } = model.api
  const bodies = kinds.flatMap(({ subresources }) => subresources.flatMap(model.bodyOf))
  const roots = [...kinds, ...bodies].flatMap((kind) => kind?.type ?? [])
  const types = closureOf(model, [...roots, ...metaTypes(model)])
  const schemas = types.flatMap((type) => {
    const schema = componentOf(type, model)
    return schema === undefined ? [] : [[schemaName(type, model), schema] as const]
  })
  const listed = kinds.filter(({ verbs }) => verbs.includes('list'))
  const lists = listed.map((kind) => listSchema(kind, model))
  const document = {
    openapi: '3.0.0',
    info: { title: upperFirst(platform.brand), version: `v${platform.release}` },
    paths: pathsOf(kinds, model),
    components: {
      schemas: Object.fromEntries([...schemas, ...lists].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
  return { key, from: [...new Set(kinds.map((kind) => kind.at.file))].sort(), document }
}

/**
 * The module that holds a document.
 * JSON is an expression of the language, so the text of the document is the module:
 *
 *   export const document: object = {
 *    "openapi": "3.0.0",
 */
export function documentModule({ key, from, document }: Document): TextArtefact {
  return {
    is: 'text',
    path: `openapi/${documentFileName(key)}.ts`,
    from,
    text: `export const document: object = ${json(document)}\n`,
  }
}

/** `api-v1` of `api/v1`. */
export function documentFileName(key: string): string {
  return key.replaceAll('/', '-')
}

/** The module that loads documents on demand. */
export function documentLoader(model: Model, specifiers: Specifiers): ModuleArtefact {
  const keys = documentKeys(model)
  const path = 'openapi.ts'
  const imports = importsOf(path, specifiers)
  const rows = keys.map((key) => {
    const specifier = specifiers.local(`openapi/${documentFileName(key)}.ts`, path)
    return `  ${quote(key)}: () => import(${quote(specifier)}),`
  })
  return {
    is: 'module',
    path,
    from: [],
    imports: imports.structures(),
    statements: [
      `const documents: Readonly<Record<string, () => Promise<{ readonly document: object }>>> = {\n${rows.join('\n')}\n}`,
      loader,
    ],
  }
}

/**
 * Nothing is imported before the documents are asked for, and then all of them.
 */
const loader = `/** The published OpenAPI v3 documents as JSON text, by their key. */
export async function openapi(): Promise<Readonly<Record<string, string>>> {
  const entries = Object.entries(documents).map(
    async ([key, load]) => [key, JSON.stringify((await load()).document)] as const,
  )
  return Object.fromEntries(await Promise.all(entries))
}`
