/** The published documents of kinds that were defined at run time: one for each group version, made when asked for. */
import { encode } from '../codec/codec.ts'
import { isObject, type Json, type JsonObject } from '../kernel/json.ts'
import type { AnyKind } from '../kernel/kind.ts'
import { apiVersionOf } from '../kernel/object.ts'
import { extensionPrefixes, type Platform } from '../kernel/platform.ts'
import { othersTurn } from '../kernel/turns.ts'
import type { MadeKind } from './kind.ts'
import { actionsOf, pathsOf } from './operations.ts'
import { type MetaNames, publishedSchema } from './published.ts'

type Documents = Readonly<Record<string, string>>

/**
 * The documents of a tree with those of more kinds. A document that both have becomes one. Others have their turn after
 * each kind whose part is made.
 */
export async function withDocuments(
  documents: Documents,
  kinds: readonly MadeKind[],
  platform: Platform,
): Promise<Documents> {
  if (kinds.length === 0) return documents
  const machinery = machineryOf(documents, platform)
  const byVersion = new Map<string, MadeKind[]>()
  for (const made of kinds) {
    const key = `apis/${apiVersionOf(made.kind)}`
    byVersion.set(key, [...(byVersion.get(key) ?? []), made])
  }
  const added: Record<string, string> = {}
  for (const [key, some] of byVersion) {
    const parts: Part[] = []
    for (const made of some) parts.push(await partOf(made, machinery.names, platform))
    added[key] = documentText(documents[key], parts, machinery, platform)
  }
  return { ...documents, ...added }
}

/** The schemas that every object's schema refers to, and their names. */
interface Machinery {
  readonly names: MetaNames
  readonly schemas: JsonObject
}

const machineries = new WeakMap<Documents, Machinery>()

function machineryOf(documents: Documents, platform: Platform): Machinery {
  const found = machineries.get(documents) ?? findMachinery(documents, platform)
  machineries.set(documents, found)
  return found
}

function findMachinery(documents: Documents, platform: Platform): Machinery {
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
  const actions = actionsOf(paths, extension)
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
  parts: readonly Part[],
  { schemas }: Machinery,
  { brand, release }: Platform,
): string {
  const old = base === undefined ? {} : (JSON.parse(base) as JsonObject)
  const components = isObject(old.components) ? old.components.schemas : {}
  const title = `${brand.slice(0, 1).toUpperCase()}${brand.slice(1)}`
  const info = JSON.stringify({ title, version: `v${release}` })
  const own = propertiesText({ ...schemas, ...(isObject(components) ? components : {}) })
  const paths = joined([
    propertiesText(isObject(old.paths) ? old.paths : {}),
    ...parts.map((part) => part.paths),
  ])
  const all = joined([own, ...parts.map((part) => part.schemas)])
  return `{"openapi":"3.0.0","info":${info},"paths":{${paths}},"components":{"schemas":{${all}}}}`
}

/** The properties of an object as text, without its braces; numbers are written exactly. */
function propertiesText(object: JsonObject): string {
  const bytes = encode(object)
  return Buffer.from(bytes.buffer, bytes.byteOffset + 1, bytes.byteLength - 2).toString()
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(',')
}

/** What a kind adds to its document: properties as text. */
interface Part {
  readonly paths: string
  readonly schemas: string
}

const known = new WeakMap<AnyKind, Part>()

async function partOf(made: MadeKind, meta: MetaNames, platform: Platform): Promise<Part> {
  const before = known.get(made.kind)
  if (before !== undefined) return before
  const part = makePart(made, meta, platform)
  known.set(made.kind, part)
  await othersTurn()
  return part
}

function makePart({ kind, schema }: MadeKind, meta: MetaNames, platform: Platform): Part {
  const prefixes = extensionPrefixes(platform)
  const object = schemaName(kind, kind.kind)
  const list = schemaName(kind, kind.listKind)
  return {
    paths: propertiesText(pathsOf(kind, { prefixes, meta, object, list })),
    schemas: propertiesText({
      [object]: {
        ...publishedSchema(schema.raw, prefixes, meta),
        ...typeFacts(kind, kind.kind, prefixes),
      },
      [list]: listSchema(kind, object, prefixes, meta),
    }),
  }
}

/** Reversed group, version and kind: `com.example.stable.v1.CronTab` (supplement S-13). */
function schemaName({ group, version }: AnyKind, kind: string): string {
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`
}

function typeFacts({ group, version }: AnyKind, kind: string, prefixes: readonly string[]) {
  const facts = [{ group, kind, version }]
  return Object.fromEntries(
    prefixes.map((prefix) => [`x-${prefix}-group-version-kind`, facts]),
  ) as JsonObject
}

function listSchema(
  kind: AnyKind,
  object: string,
  prefixes: readonly string[],
  { listMeta }: MetaNames,
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
    ...typeFacts(kind, kind.listKind, prefixes),
  }
}
