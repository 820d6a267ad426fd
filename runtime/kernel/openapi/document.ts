/**
 * OpenAPI 3.0 documents of group versions. The generated tree holds their schemas; operations follow from what descriptors
 * say of kinds, so that a document never names what is not served.
 */

import type { AnyKind } from '../descriptors/kind.ts'
import { extensionPrefixes, type Platform } from '../descriptors/platform.ts'
import { capitalized } from '../values/capitalized.ts'
import type { DocumentedKind, Parameter, PathContext, Schema } from './path-context.ts'
import { pathsOf } from './paths.ts'

/** What a document is made of. */
export interface DocumentParts {
  readonly platform: Platform
  /** `api/v1` or `apis/apps/v1`. */
  readonly key: string
  /** The kinds of the group version that are served. */
  readonly kinds: readonly DocumentedKind[]
  /** Component schemas by name: those of the kinds, and what they refer to. */
  readonly schemas: Readonly<Record<string, Schema>>
  /** The query parameters of each action. */
  readonly parameters: Readonly<Record<string, readonly Parameter[]>>
}

/** The document of a group version, which refers to nothing outside. */
export function openApiDocument(parts: DocumentParts): {
  readonly openapi: string
  readonly info: object
  readonly paths: Readonly<Record<string, Schema>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly securitySchemes: object
  }
} {
  const { platform, key, kinds, schemas } = parts
  return {
    ...documentHead(platform),
    paths: pathsOf(key, kinds, pathContextOf(parts)),
    components: { schemas, securitySchemes },
  }
}

/** What the documents of a generated tree are made of. */
export interface GeneratedDocuments extends Pick<DocumentParts, 'platform' | 'parameters'> {
  readonly routes: Readonly<Record<string, AnyKind>>
  /** Imports the component schemas of each group version. */
  readonly documents: Readonly<Record<string, () => Promise<{ readonly schemas: object }>>>
}

/** The documents of all group versions as JSON text, by their key. */
export async function openApiDocuments({
  routes,
  documents,
  ...facts
}: GeneratedDocuments): Promise<Readonly<Record<string, string>>> {
  const byVersion = new Map<string, AnyKind[]>()
  for (const [path, kind] of Object.entries(routes)) {
    const key = path.slice(0, path.lastIndexOf('/'))
    const known = byVersion.get(key)
    if (known === undefined) byVersion.set(key, [kind])
    else known.push(kind)
  }
  const entries = Object.entries(documents).map(async ([key, load]) => {
    const schemas = (await load()).schemas as DocumentParts['schemas']
    const kinds = byVersion.get(key) ?? []
    return [key, JSON.stringify(openApiDocument({ ...facts, key, kinds, schemas }))] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** The first properties of every document. */
export function documentHead({ brand, release }: Platform) {
  const title = capitalized(brand)
  return { openapi: '3.0.0', info: { title, version: `v${release}` } }
}

/** How clients say who they are. */
export const securitySchemes = {
  BearerToken: {
    type: 'apiKey',
    description: 'A bearer token, as in "Bearer TOKEN".',
    name: 'authorization',
    in: 'header',
  },
} as const

/** What the operations of kinds refer to. */
export function pathContextOf({
  platform,
  schemas,
  parameters,
}: Pick<DocumentParts, 'platform' | 'schemas' | 'parameters'>): PathContext {
  const names = namesByKind(schemas, platform)
  return {
    platform,
    parameters,
    prefixes: extensionPrefixes(platform),
    meta: (name) => `${platform.schemaPackage}.apimachinery.pkg.apis.meta.v1.${name}`,
    schemaOf: (apiVersion, kind) => names.get(`${apiVersion}/${kind}`),
  }
}

interface Identity {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** The names of schemas by apiVersion and kind, which their extensions say. */
function namesByKind(
  schemas: DocumentParts['schemas'],
  { extension }: Platform,
): ReadonlyMap<string, string> {
  const keyword = `x-${extension}-group-version-kind`
  const entries = Object.entries(schemas).flatMap(([name, schema]) => {
    const [only, ...more] = (schema[keyword] ?? []) as readonly Identity[]
    if (only === undefined || more.length > 0) return []
    const { group, version, kind } = only
    return [[`${group === '' ? '' : `${group}/`}${version}/${kind}`, name] as const]
  })
  return new Map(entries)
}
