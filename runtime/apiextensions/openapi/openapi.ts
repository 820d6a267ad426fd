import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { extensionPrefixes, type Platform } from '../../kernel/descriptors/platform.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import { documentHead, securitySchemes } from '../../kernel/openapi/document.ts'
import type { PathContext } from '../../kernel/openapi/path-context.ts'
import { kindPaths, resourceListPath } from '../../kernel/openapi/paths.ts'
import { isObject, type JsonObject } from '../../kernel/values/json.ts'
import { encodeJson } from '../../serializer/serializer.ts'
import type { CustomKind } from '../kind/kind.ts'
import { publishedSchema } from './published-schema.ts'
import {
  findSharedSchemas,
  type MetaSchemaNames,
  refPrefix,
  type SharedSchemas,
} from './shared-schemas.ts'

/** OpenAPI documents as text, by the path of their group version: `apis/apps/v1`. */
type Documents = Readonly<Record<string, string>>

/** What a kind adds to its document: the properties of `paths` and of `components.schemas` as text. */
interface KindFragments {
  readonly paths: string
  readonly schemas: string
}

/** Fragments as they are kept: descriptions repeat themselves, so that they take a tenth. */
type PackedFragments = Readonly<Record<keyof KindFragments, Uint8Array>>

function pack({ paths, schemas }: KindFragments): PackedFragments {
  return { paths: packText(paths), schemas: packText(schemas) }
}

function packText(text: string): Uint8Array {
  return deflateRawSync(text, { level: constants.Z_BEST_SPEED })
}

function unpack({ paths, schemas }: PackedFragments): KindFragments {
  return { paths: inflateRawSync(paths).toString(), schemas: inflateRawSync(schemas).toString() }
}

/**
 * The OpenAPI documents of custom kinds, one for each group version. The fragments of a kind are
 * created once. A kind that a change of definitions leaves as it was keeps its fragments: they are
 * remembered by the kind object and go with it.
 */
export class KindDocuments {
  readonly #platform: Platform
  readonly #fragments = new WeakMap<AnyKind, PackedFragments>()
  #shared: { readonly documents: Documents; readonly schemas: SharedSchemas } | undefined

  constructor(platform: Platform) {
    this.#platform = platform
  }

  /**
   * The documents with those of custom kinds; a group version that both have gets one document. The
   * given documents are not changed; without kinds they are returned as they are. Large definitions
   * take long, so that other work has its turn after each kind.
   */
  async add(documents: Documents, kinds: readonly CustomKind[]): Promise<Documents> {
    if (kinds.length === 0) return documents
    const shared = this.#sharedSchemas(documents)
    const added: Record<string, string> = {}
    for (const [path, own] of byGroupVersion(kinds)) {
      const fragments: KindFragments[] = []
      for (const kind of own) fragments.push(await this.#fragmentsOf(kind, shared))
      const [first] = own
      if (first === undefined) continue
      added[path] = documentText(documents[path], first.kind, fragments, shared, this.#platform)
    }
    return { ...documents, ...added }
  }

  /**
   * Remembered for the last documents alone: they are the same reference until the scheme is
   * another one.
   */
  #sharedSchemas(documents: Documents): SharedSchemas {
    if (this.#shared?.documents !== documents) {
      this.#shared = { documents, schemas: findSharedSchemas(documents, this.#platform) }
    }
    return this.#shared.schemas
  }

  async #fragmentsOf(custom: CustomKind, shared: SharedSchemas): Promise<KindFragments> {
    const known = this.#fragments.get(custom.kind)
    if (known !== undefined) return unpack(known)
    const fragments = createFragments(custom, shared, this.#platform)
    this.#fragments.set(custom.kind, pack(fragments))
    await yieldToEventLoop()
    return fragments
  }
}

function byGroupVersion(kinds: readonly CustomKind[]): ReadonlyMap<string, readonly CustomKind[]> {
  const groups = new Map<string, CustomKind[]>()
  for (const custom of kinds) {
    const path = `apis/${apiVersionOf(custom.kind)}`
    groups.set(path, [...(groups.get(path) ?? []), custom])
  }
  return groups
}

/**
 * Joins texts: the document is never parsed as a whole, which would take long for large
 * definitions. Own schemas of the document win over shared ones of the same name. The title and
 * version are those of the platform, as in generated documents.
 */
function documentText(
  base: string | undefined,
  kind: AnyKind,
  fragments: readonly KindFragments[],
  { names, schemas }: SharedSchemas,
  platform: Platform,
): string {
  const old = base === undefined ? {} : (JSON.parse(base) as JsonObject)
  const components = isObject(old.components) ? old.components.schemas : {}
  const own = propertiesText({ ...schemas, ...(isObject(components) ? components : {}) })
  const key = `apis/${apiVersionOf(kind)}`
  const list = resourceListPath(key, kind, pathContext(kind, names, platform))
  const paths = joinProperties([
    propertiesText(isObject(old.paths) ? old.paths : (Object.fromEntries([list]) as JsonObject)),
    ...fragments.map((one) => one.paths),
  ])
  const all = joinProperties([own, ...fragments.map((one) => one.schemas)])
  const head = JSON.stringify(documentHead(platform)).slice(0, -1)
  const schemes = JSON.stringify({ securitySchemes }).slice(1, -1)
  return `${head},"paths":{${paths}},"components":{"schemas":{${all}},${schemes}}}`
}

/** What the operations of a kind refer to. */
function pathContext(
  { group, version, kind }: AnyKind,
  { parameters, scale }: MetaSchemaNames,
  platform: Platform,
): PathContext {
  const own = schemaName({ group, version } as AnyKind, kind)
  return {
    platform,
    parameters,
    prefixes: extensionPrefixes(platform),
    meta: (name) => `${platform.schemaPackage}.apimachinery.pkg.apis.meta.v1.${name}`,
    schemaOf: (_, body) => (body === 'Scale' && body !== kind ? (scale ?? own) : own),
  }
}

/** The properties of an object as JSON without its braces. The encoder keeps large integers exact. */
function propertiesText(object: JsonObject): string {
  const bytes = encodeJson(object)
  return Buffer.from(bytes.buffer, bytes.byteOffset + 1, bytes.byteLength - 2).toString()
}

function joinProperties(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(',')
}

/** The list kind has a schema of its own, which refers to that of the object. */
function createFragments(
  { kind, schema }: CustomKind,
  { names: meta }: SharedSchemas,
  platform: Platform,
): KindFragments {
  const prefixes = extensionPrefixes(platform)
  const object = schemaName(kind, kind.kind)
  const list = schemaName(kind, kind.listKind)
  return {
    paths: propertiesText(
      Object.fromEntries(kindPaths(kind, pathContext(kind, meta, platform))) as JsonObject,
    ),
    schemas: propertiesText({
      [object]: {
        ...publishedSchema(schema.raw, prefixes, meta),
        ...groupVersionKindExtensions(kind, kind.kind, prefixes),
      },
      [list]: {
        ...listSchema(kind, object, meta.listMeta),
        ...groupVersionKindExtensions(kind, kind.listKind, prefixes),
      },
    }),
  }
}

/** Reversed group, version and kind: `com.example.stable.v1.CronTab` (supplement S-13). */
function schemaName({ group, version }: AnyKind, kind: string): string {
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`
}

/** Clients find the schema of an object by this key, not by its name. */
function groupVersionKindExtensions(
  { group, version }: AnyKind,
  kind: string,
  prefixes: readonly string[],
): JsonObject {
  const names = [{ group, kind, version }]
  return Object.fromEntries(prefixes.map((prefix) => [`x-${prefix}-group-version-kind`, names]))
}

function listSchema({ kind }: AnyKind, object: string, listMeta: string): JsonObject {
  return {
    description: `A list of objects of kind ${kind}.`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: {
        description: 'APIVersion defines the group and version whose schema the object follows.',
        type: 'string',
      },
      items: {
        description: 'The listed objects.',
        type: 'array',
        items: { $ref: `${refPrefix}${object}` },
      },
      kind: {
        description: 'Kind is the name of the schema that the object follows.',
        type: 'string',
      },
      metadata: {
        description: 'Version and paging data of the list.',
        allOf: [{ $ref: `${refPrefix}${listMeta}` }],
      },
    },
  }
}
