import type { Kind } from '../../kernel/descriptors/kind.ts'
import type { Scheme, VersionRemoval } from '../../kernel/descriptors/scheme.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'

/** What a request to a deprecated API is answered and recorded with. */
export interface Deprecation {
  /** The text of a `Warning` header. */
  readonly warning: string
  /** The release without the API, such as 1.32; empty if it is not known yet. */
  readonly removedRelease: string
  /** For the audit event of the request. */
  readonly annotations: Readonly<Record<string, string>>
}

/** What became of API versions, by the table of removals of a scheme. */
export interface Deprecations {
  /** Undefined for a kind that is not deprecated. Looked up once a kind, since every request asks. */
  of(kind: Kind): Deprecation | undefined
  /**
   * What to use in place of a path that is no longer served; undefined for one that never was. For a whole group version, one
   * sentence a resource.
   */
  removalNotice(segments: readonly string[]): string | undefined
}

/** Deprecations as of the scheme's own release: what it removed is gone, what it deprecates is served with a warning. */
export function deprecations({ removals = [], platform }: Scheme): Deprecations {
  const release = minorOf(platform.release)
  const deprecated = new Map<string, Deprecation>()
  const known = new WeakMap<Kind, Deprecation | undefined>()
  const gone = new Map<string, Map<string, string>>()
  for (const row of removals) {
    const version = row.group === '' ? row.version : `${row.group}/${row.version}`
    for (const [plural, kind] of Object.entries(row.resources)) {
      if (minorOf(row.removed) <= release) {
        const resources = gone.get(version) ?? new Map<string, string>()
        if (!resources.has(plural)) resources.set(plural, removedText(row, version, kind))
        gone.set(version, resources)
      } else if (row.deprecated !== undefined && minorOf(row.deprecated) <= release) {
        deprecated.set(`${version}/${plural}`, deprecationOf(row, version, kind, platform.api))
      }
    }
  }
  const find = (kind: Kind) => {
    if (kind.customResource !== undefined) return customDeprecation(kind, platform.api)
    if (kind.deprecated !== undefined && minorOf(kind.deprecated) <= release) {
      return undatedDeprecation(kind, kind.deprecated, platform.api)
    }
    return deprecated.get(`${apiVersionOf(kind)}/${kind.plural}`)
  }
  return {
    of(kind) {
      if (!known.has(kind)) known.set(kind, find(kind))
      return known.get(kind)
    },
    removalNotice([root, group, version, ...rest]) {
      if (root !== 'apis') return undefined
      const resources = gone.get(`${group}/${version}`)
      if (resources === undefined) return undefined
      const plural = rest[0] === 'namespaces' && rest.length > 2 ? rest[2] : rest[0]
      if (plural !== undefined) return resources.get(plural)
      return [...new Set(resources.values())].join('; ')
    },
  }
}

/** A custom resource definition says itself which of its versions are deprecated. */
function customDeprecation({ customResource: custom }: Kind, api: string): Deprecation | undefined {
  if (custom?.deprecation === undefined) return undefined
  const annotations = { [`${api}/deprecated`]: 'true' }
  return { warning: custom.deprecation, removedRelease: '', annotations }
}

/** A kind whose schema says since when it is deprecated is served until a row of the table removes it. */
function undatedDeprecation(kind: Kind, since: string, api: string): Deprecation {
  const annotations = { [`${api}/deprecated`]: 'true' }
  const warning = `${apiVersionOf(kind)} ${kind.kind} is deprecated in v${since}+`
  return { warning, removedRelease: '', annotations }
}

/** The public sentence, by a row of the table. */
function deprecationOf(
  row: VersionRemoval,
  version: string,
  kind: string,
  api: string,
): Deprecation {
  const use = row.replacement === undefined ? '' : `; use ${row.replacement} ${kind}`
  return {
    warning: `${version} ${kind} is deprecated in v${row.deprecated}+, unavailable in v${row.removed}+${use}`,
    removedRelease: row.removed,
    annotations: { [`${api}/deprecated`]: 'true', [`${api}/removed-release`]: row.removed },
  }
}

function removedText(
  { removed, replacement, since, instead }: VersionRemoval,
  version: string,
  kind: string,
): string {
  const head = `${version} ${kind} is not served since v${removed}`
  if (replacement === undefined) return instead === undefined ? head : `${head}; use ${instead}`
  return `${head}; use ${replacement} ${kind}${since === undefined ? '' : `, there since v${since}`}`
}

/** 26 of 1.26.0: releases are compared by their minor version. */
function minorOf(release: string): number {
  return Number(release.split('.')[1])
}
