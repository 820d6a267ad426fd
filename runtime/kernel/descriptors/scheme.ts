import type { AccessFacts } from './access-facts.ts'
import { type FieldTypes, mergeFieldTypes } from './field-types.ts'
import type { FlowControlFacts } from './flow-control-facts.ts'
import type { AnyKind } from './kind.ts'
import type { MetricFacts } from './metric-facts.ts'
import type { MigrationStep } from './migration-step.ts'
import type { Platform } from './platform.ts'
import { mergeProtobufTables, type ProtobufTables } from './protobuf-tables.ts'

/** A group with its served versions, preferred one first. */
export interface ApiGroup {
  readonly group: string
  readonly versions: readonly string[]
  /** Discovery lists groups by descending priority. */
  readonly priority: number
  /** The ranks of `versions` in the group, if known. */
  readonly ranks?: Readonly<Record<string, number>>
  /** Those of `versions` that are off by default and served only with --runtime-config. */
  readonly off?: readonly string[]
}

/** An API version that was removed, or will be in a known release. */
export interface VersionRemoval {
  readonly group: string
  readonly version: string
  /** The release that deprecated it: `1.29`. */
  readonly deprecated?: string
  /** The first release that does not serve it. */
  readonly removed: string
  /** Kinds by their plural names. */
  readonly resources: Readonly<Record<string, string>>
  /** The group version to use in its place. */
  readonly replacement?: string
  /** The release that brought the replacement. */
  readonly since?: string
  /** What to use if no group version replaces it. */
  readonly instead?: string
  /** What differs in the replacement. Without any, only its name does. */
  readonly steps?: readonly MigrationStep[]
}

/**
 * A scheme: every kind, group and table of one platform in one value. Servers, the testing kit and commands are given a
 * scheme as an argument, so that one process can hold several.
 */
export interface Scheme {
  readonly platform: Platform
  readonly groups: readonly ApiGroup[]
  /** Kinds by the path of their collection without namespace: `api/v1/pods`, `apis/apps/v1/deployments`. */
  readonly routes: Readonly<Record<string, AnyKind>>
  /** The feature gates that are on by default. Absent: the scheme has no table of gates. */
  readonly gates?: readonly string[]
  /**
   * The published OpenAPI v3 documents as JSON text, by their key (`api/v1`, `apis/apps/v1`). Imported on first use: they
   * are large, and most processes never serve them.
   */
  readonly openapi: () => Promise<Readonly<Record<string, string>>>
  /** The schemas of the documents of discovery and version by name, imported on first use. Absent: these have none. */
  readonly discoverySchemas?: () => Promise<object>
  readonly removals?: readonly VersionRemoval[]
  /** The metrics of the programs of this platform. */
  readonly metrics?: readonly MetricFacts[]
  readonly flowControl?: FlowControlFacts
  /** The roles and bindings that a server begins with, imported where rights come from roles. */
  readonly access?: () => Promise<AccessFacts>
  /** The tables of the protobuf format, imported on first use. Absent: no kind has a protobuf form. */
  readonly protobuf?: () => Promise<ProtobufTables>
  /** The types of fields, imported when a body is refused. */
  readonly fieldTypes?: () => Promise<FieldTypes>
}

/**
 * One scheme with the groups, routes, gates, removals, documents and protobuf tables of all. Platform, metrics and flow control
 * are those of `base`.
 */
export function mergeSchemes(base: Scheme, ...more: readonly Scheme[]): Scheme {
  const groups = new Map<string, ApiGroup>()
  for (const group of [base, ...more].flatMap((scheme) => scheme.groups)) {
    const known = groups.get(group.group)
    const versions = [...new Set([...(known?.versions ?? []), ...group.versions])]
    const off = [...new Set([...(known?.off ?? []), ...(group.off ?? [])])]
    groups.set(group.group, { ...group, ...known, versions, off })
  }
  const gates = [base, ...more].flatMap((scheme) => scheme.gates ?? [])
  const tables = [base, ...more].flatMap(({ protobuf }) => protobuf ?? [])
  const types = [base, ...more].flatMap(({ fieldTypes }) => fieldTypes ?? [])
  return {
    ...base,
    groups: [...groups.values()],
    routes: Object.assign({}, base.routes, ...more.map((scheme) => scheme.routes)),
    ...(gates.length > 0 && { gates }),
    removals: [base, ...more].flatMap((scheme) => scheme.removals ?? []),
    openapi: async () =>
      Object.assign({}, ...(await Promise.all([base, ...more].map((scheme) => scheme.openapi())))),
    ...(tables.length > 0 && {
      protobuf: async () => mergeProtobufTables(await Promise.all(tables.map((load) => load()))),
    }),
    ...(types.length > 0 && {
      fieldTypes: once(async () => mergeFieldTypes(await Promise.all(types.map((load) => load())))),
    }),
  }
}

/** Loads once, and again only after a failure. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined
      throw error
    })
    return loaded
  }
}
