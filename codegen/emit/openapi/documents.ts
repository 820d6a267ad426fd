/**
 * Emits the schemas of the published OpenAPI v3 documents, one module for each served group version with every schema that it
 * refers to. Operations are not emitted: `runtime/kernel/openapi` makes them of descriptors, for the server and here.
 */
import { openApiDocument } from '../../../runtime/kernel/openapi/document.ts'
import type { DocumentedKind, Schema } from '../../../runtime/kernel/openapi/path-context.ts'
import type { KindFacts } from '../../schema/ir.ts'
import type { Artefact, ModuleArtefact, Specifiers, TextArtefact } from '../artefact.ts'
import { importsOf } from '../code/imports.ts'
import { quote, versionKey } from '../code/names.ts'
import type { Model } from '../model/model.ts'
import { closureOf } from '../model/references.ts'
import { messageOf } from '../scheme/protobuf.ts'
import { json } from './json.ts'
import { parametersModule, parametersOf } from './parameters.ts'
import { componentOf, listSchema, schemaName } from './schemas.ts'

/** A published document; its key is `api/v1` or `apis/apps/v1`. */
export interface Document {
  readonly key: string
  /** The schema files of its kinds. */
  readonly from: readonly string[]
  readonly document: PublishedDocument
}

/** What is read of a document here. */
type PublishedDocument = Pick<ReturnType<typeof openApiDocument>, 'paths'> & {
  readonly components: { readonly schemas: Schemas }
}

/** The keys of a tree's documents, sorted. */
export function documentKeys(model: Model): readonly string[] {
  return [...new Set(model.kinds.map(versionKey))].sort()
}

/** The types of the machinery that operations take and give, and that discovery documents are. */
const metaNames = ['APIResourceList', 'DeleteOptions', 'ListMeta', 'Patch', 'Status', 'WatchEvent']
const discoveryNames = ['APIGroup', 'APIGroupList', 'APIVersions', 'Info']

/** The document of a group version, with the schemas that its operations lead to: no reference leaves it. */
export function documentOf(key: string, model: Model): Document {
  const kinds = model.kindsIn('version', key)
  const bodies = kinds.flatMap(({ subresources }) => subresources.flatMap(model.bodyOf))
  const roots = [...kinds, ...bodies].flatMap((kind) => kind?.type ?? [])
  const listed = kinds.filter(({ verbs }) => verbs.includes('list'))
  const lists = listed.map((kind) => listSchema(kind, model))
  const known = {
    ...schemasOf([...roots, ...metaTypes(metaNames, model)], model),
    ...Object.fromEntries(lists),
  }
  const facts = { platform: model.api.platform, key, parameters: parametersOf(model) }
  const documented = kinds.map((kind) => documentedKind(kind, model))
  const { paths } = openApiDocument({ ...facts, kinds: documented, schemas: known })
  const schemas = referredTo(paths, known)
  return {
    key,
    from: [...new Set(kinds.map((kind) => kind.at.file))].sort(),
    document: openApiDocument({ ...facts, kinds: documented, schemas }),
  }
}

function documentedKind(kind: KindFacts, model: Model): DocumentedKind {
  return { ...kind, proto: messageOf(kind, model) as never }
}

type Schemas = Readonly<Record<string, Schema>>

/** The component schemas of types and of all that they refer to. */
function schemasOf(types: readonly string[], model: Model): Schemas {
  const entries = closureOf(model, types).flatMap((type) => {
    const schema = componentOf(type, model)
    return schema === undefined ? [] : [[schemaName(type, model), schema] as const]
  })
  return Object.fromEntries(entries)
}

function metaTypes(names: readonly string[], model: Model): readonly string[] {
  return names.flatMap((name) => {
    const type = model.metaType(name)
    return type?.is === 'struct' ? [type.id] : []
  })
}

/** The schemas that something refers to, and those that these refer to, by name. */
function referredTo(something: unknown, schemas: Schemas): Schemas {
  const found = new Set<string>()
  const queue = [something]
  for (let value = queue.pop(); value !== undefined; value = queue.pop()) {
    for (const name of refsIn(value)) {
      if (found.has(name) || schemas[name] === undefined) continue
      found.add(name)
      queue.push(schemas[name])
    }
  }
  return Object.fromEntries([...found].sort().map((name) => [name, schemas[name] as Schema]))
}

function refsIn(value: unknown): readonly string[] {
  const pattern = /"\$ref":"#\/components\/schemas\/([^"]+)"/g
  return [...JSON.stringify(value).matchAll(pattern)].map(([, name = '']) => name)
}

/**
 * The module that holds the schemas of a document.
 * JSON is an expression of the language, so their text is the module:
 *
 *   export const schemas: object = {
 *    "io.orch.api.apps.v1.Deployment": {
 */
export function documentModule({ key, from, document }: Document): TextArtefact {
  return schemasModule(documentFileName(key), from, document.components.schemas)
}

function schemasModule(name: string, from: readonly string[], schemas: Schemas): TextArtefact {
  const text = `export const schemas: object = ${json(schemas)}\n`
  return { is: 'text', path: `openapi/${name}.ts`, from, text }
}

/** `api-v1` of `api/v1`. */
export function documentFileName(key: string): string {
  return key.replaceAll('/', '-')
}

/** The module that loads documents on demand, and the two that it needs beside their schemas. */
export function documentLoader(model: Model, specifiers: Specifiers): readonly Artefact[] {
  const discovery = schemasOf(metaTypes(discoveryNames, model), model)
  const parameterType = specifiers.kernel('openapi/path-context', 'openapi/parameters.ts')
  return [
    loaderModule(model, specifiers),
    parametersModule(model, parameterType),
    schemasModule('discovery', [], discovery),
  ]
}

function loaderModule(model: Model, specifiers: Specifiers): ModuleArtefact {
  const path = 'openapi.ts'
  const imports = importsOf(path, specifiers)
  const rows = documentKeys(model).map((key) => {
    const specifier = specifiers.local(`openapi/${documentFileName(key)}.ts`, path)
    return `  ${quote(key)}: () => import(${quote(specifier)}),`
  })
  const local = (name: string) => quote(specifiers.local(`openapi/${name}.ts`, path))
  const builder = quote(specifiers.kernel('openapi/document', path))
  return {
    is: 'module',
    path,
    from: [],
    imports: [
      ...imports.structures(),
      ...['platform', 'routes'].map((name) => ({
        moduleSpecifier: specifiers.local(`${name}.ts`, path),
        namedImports: [name],
      })),
    ],
    statements: [
      `const documents: Readonly<Record<string, () => Promise<{ readonly schemas: object }>>> = {\n${rows.join('\n')}\n}`,
      loaderText(builder, local('parameters'), local('discovery')),
    ],
  }
}

/** Nothing is imported before the documents are asked for, and then all of them. */
function loaderText(builder: string, parameters: string, discovery: string): string {
  return `/** The published OpenAPI v3 documents as JSON text, by their key. */
export async function openapi(): Promise<Readonly<Record<string, string>>> {
  const [{ openApiDocuments }, { parameters }] = await Promise.all([
    import(${builder}),
    import(${parameters}),
  ])
  return openApiDocuments({ platform, routes, parameters, documents })
}

/** The schemas of discovery documents, by name. */
export async function discoverySchemas(): Promise<object> {
  return (await import(${discovery})).schemas
}`
}
