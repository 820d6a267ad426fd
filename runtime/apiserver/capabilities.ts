/** What kinds need of the server beside being stored, and the part of a tree that this server can honestly serve. */
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import { apiVersionOf } from '../kernel/meta/object.ts'

/** The behaviours that there are, by the names that `needs` of a schema uses. A name here switches its kinds on. */
export const capabilities: ReadonlySet<string> = new Set([
  'admission-policies',
  'admission-webhooks',
  'api-aggregation',
  'component-health',
  'custom-resources',
])

/** True for a kind that does what it promises: a stored one, or one whose behaviour is there. */
export function isServable(
  { capabilities: needs }: AnyKind,
  able: ReadonlySet<string> = capabilities,
): boolean {
  return needs === undefined || able.has(needs)
}

/** The tree without the kinds that would only pretend: neither routes nor published documents name them. */
export function servableScheme(scheme: Scheme, able: ReadonlySet<string> = capabilities): Scheme {
  const entries = Object.entries(scheme.routes)
  const kept = entries.filter(([, kind]) => isServable(kind, able))
  if (kept.length === entries.length) return scheme
  const left = entries.filter(([, kind]) => !isServable(kind, able)).map(([path]) => `/${path}`)
  const versions = new Set(kept.map(([, kind]) => documentKey(kind)))
  return {
    ...scheme,
    routes: Object.fromEntries(kept),
    async openapi() {
      const documents = Object.entries(await scheme.openapi())
      return Object.fromEntries(
        documents
          .filter(([key]) => versions.has(key))
          .map(([key, text]) => [key, withoutPaths(key, text, left)]),
      )
    },
  }
}

function documentKey(kind: AnyKind): string {
  return `${kind.group === '' ? 'api' : 'apis'}/${apiVersionOf(kind)}`
}

/** The document without the paths of some collections; the text as it is if it names none of them. */
function withoutPaths(key: string, text: string, collections: readonly string[]): string {
  const own = collections.filter((path) => path.startsWith(`/${key}/`))
  if (own.length === 0) return text
  const plurals = own.map((path) => path.slice(key.length + 2))
  const document = JSON.parse(text) as { readonly paths: Readonly<Record<string, unknown>> }
  const paths = Object.entries(document.paths).filter(([path]) => {
    const rest = path.slice(key.length + 2).replace(/^watch\//, '')
    const plural = rest.replace(/^namespaces\/[^/]+\//, '').split('/')[0] ?? ''
    return !plurals.includes(plural)
  })
  return JSON.stringify({ ...document, paths: Object.fromEntries(paths) })
}
