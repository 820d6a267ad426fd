/** The published documents of kinds that were defined at run time: one for each group version, made when asked for. */

import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { extensionPrefixes, type Platform } from '../../kernel/descriptors/platform.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { encodeJson } from '../../serializer/serializer.ts'
import type { CustomKind } from '../kind/kind.ts'
import { actionTemplatesIn, openApiPaths } from './paths.ts'
import { type MetaSchemaNames, publishedSchema } from './published-schema.ts'

type Documents = Readonly<Record<string, string>>

/**
 * The documents of a tree with those of more kinds. A document that both have becomes one. Others have their turn after
 * each kind whose part is made.
 */
export async function withKindDocuments(
  documents: Documents,
  kinds: readonly CustomKind[],
  platform: Platform,
): Promise<Documents> {
  if (kinds.length === 0) return documents
  const machinery = sharedSchemas(documents, platform)
  const byVersion = new Map<string, CustomKind[]>()
  for (const made of kinds) {
    const key = `apis/${apiVersionOf(made.kind)}`
    byVersion.set(key, [...(byVersion.get(key) ?? []), made])
  }
  const added: Record<string, string> = {}
  for (const [key, some] of byVersion) {
    const parts: KindFragments[] = []
    for (const made of some) parts.push(await fragmentsOf(made, machinery.names, platform))
    added[key] = documentText(documents[key], parts, machinery, platform)
  }
  return { ...documents, ...added }
}

/** The schemas that every object's schema refers to, and their names. */
interface SharedSchemas {
  readonly names: MetaSchemaNames
  readonly schemas: JsonObject
}

const sharedSchemasByDocuments = new WeakMap<Documents, SharedSchemas>()

function sharedSchemas(documents: Documents, platform: Platform): SharedSchemas {
  const found = sharedSchemasByDocuments.get(documents) ?? findSharedSchemas(documents, platform)
  sharedSchemasByDocuments.set(documents, found)
  return found
}

function findSharedSchemas(documents: Documents, platform: Platform): SharedSchemas {
  const { schemaPackage, extension } = platform
  const texts = Object.values(documents).sort((a, b) => a.length - b.length)
  const scale = `${schemaPackage}.api.autoscaling.v1.Scale`
  const text = texts.find((one) => one.includes(`"${scale}":`)) ?? texts[0] ?? '{}'
  const { components, paths = {} } = JSON.parse(text) as {
    components?: { schemas?: JsonObject }
    paths?: JsonObject
  }
  const all = components?.schemas ?? {}
  const meta = `${schemaPackage}.apimachinery.pkg.apis.meta.v1`
  const names = {
    objectMeta: `${meta}.ObjectMeta`,
    listMeta: `${meta}.ListMeta`,
    status: `${meta}.Status`,
    deleteOptions: `${meta}.DeleteOptions`,
    scale: Object.hasOwn(all, scale) ? scale : undefined,
  }
  const wanted = Object.values(names).filter((name) => name !== undefined)
  const actions = actionTemplatesIn(paths, extension)
  return { names: { ...names, actions }, schemas: reachable(all, wanted) }
}

const refPrefix = '#/components/schemas/'

/** The schemas of these names and everything that they refer to. */
function reachable(all: JsonObject, names: readonly string[]): JsonObject {
  const found: Record<string, Json> = {}
  const waiting = [...names]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const schema = Object.hasOwn(all, name) ? all[name] : undefined
    if (schema === undefined || Object.hasOwn(found, name)) continue
    found[name] = schema
    waiting.push(...refsIn(schema))
  }
  return found
}

function refsIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return (value as Json[]).flatMap(refsIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([word, inner]) => {
    if (word === '$ref' && typeof inner === 'string') return [inner.slice(refPrefix.length)]
    return inner === undefined ? [] : refsIn(inner)
  })
}

function documentText(
  base: string | undefined,
  parts: readonly KindFragments[],
  { schemas }: SharedSchemas,
  { brand, release }: Platform,
): string {
  const old = base === undefined ? {} : (JSON.parse(base) as JsonObject)
  const components = isObject(old.components) ? old.components.schemas : {}
  const title = `${brand.slice(0, 1).toUpperCase()}${brand.slice(1)}`
  const info = JSON.stringify({ title, version: `v${release}` })
  const own = propertiesText({ ...schemas, ...(isObject(components) ? components : {}) })
  const paths = joinProperties([
    propertiesText(isObject(old.paths) ? old.paths : {}),
    ...parts.map((part) => part.paths),
  ])
  const all = joinProperties([own, ...parts.map((part) => part.schemas)])
  return `{"openapi":"3.0.0","info":${info},"paths":{${paths}},"components":{"schemas":{${all}}}}`
}

/** The properties of an object as text, without its braces; numbers are written exactly. */
function propertiesText(object: JsonObject): string {
  const bytes = encodeJson(object)
  return Buffer.from(bytes.buffer, bytes.byteOffset + 1, bytes.byteLength - 2).toString()
}

function joinProperties(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(',')
}

/** What a kind adds to its document: properties as text. */
interface KindFragments {
  readonly paths: string
  readonly schemas: string
}

const known = new WeakMap<AnyKind, KindFragments>()

async function fragmentsOf(
  made: CustomKind,
  meta: MetaSchemaNames,
  platform: Platform,
): Promise<KindFragments> {
  const before = known.get(made.kind)
  if (before !== undefined) return before
  const part = createFragments(made, meta, platform)
  known.set(made.kind, part)
  await yieldToEventLoop()
  return part
}

function createFragments(
  { kind, schema }: CustomKind,
  meta: MetaSchemaNames,
  platform: Platform,
): KindFragments {
  const prefixes = extensionPrefixes(platform)
  const object = schemaName(kind, kind.kind)
  const list = schemaName(kind, kind.listKind)
  return {
    paths: propertiesText(openApiPaths(kind, { prefixes, meta, object, list })),
    schemas: propertiesText({
      [object]: {
        ...publishedSchema(schema.raw, prefixes, meta),
        ...groupVersionKindExtensions(kind, kind.kind, prefixes),
      },
      [list]: listSchema(kind, object, prefixes, meta),
    }),
  }
}

/** Reversed group, version and kind: `com.example.stable.v1.CronTab` (supplement S-13). */
function schemaName({ group, version }: AnyKind, kind: string): string {
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`
}

function groupVersionKindExtensions(
  { group, version }: AnyKind,
  kind: string,
  prefixes: readonly string[],
) {
  const facts = [{ group, kind, version }]
  return Object.fromEntries(
    prefixes.map((prefix) => [`x-${prefix}-group-version-kind`, facts]),
  ) as JsonObject
}

function listSchema(
  kind: AnyKind,
  object: string,
  prefixes: readonly string[],
  { listMeta }: MetaSchemaNames,
): JsonObject {
  return {
    description: `A list of objects of kind ${kind.kind}.`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: {
        description: 'Group and version of the schema that the object follows.',
        type: 'string',
      },
      items: {
        description: 'The listed objects.',
        type: 'array',
        items: { $ref: `${refPrefix}${object}` },
      },
      kind: { description: 'Kind of the object.', type: 'string' },
      metadata: {
        description: 'Version and paging data of the list.',
        allOf: [{ $ref: `${refPrefix}${listMeta}` }],
      },
    },
    ...groupVersionKindExtensions(kind, kind.listKind, prefixes),
  }
}
