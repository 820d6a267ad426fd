import { type Gates, ratchetingGate } from '../kernel/gates.ts'
import type { JsonObject } from '../kernel/json.ts'
import {
  type AnyKind,
  allVerbs,
  type Kind,
  type Merge,
  type Subresource,
  type Verb,
} from '../kernel/kind.ts'
import { apiVersionOf } from '../kernel/object.ts'
import type { Steps } from '../kernel/turns.ts'
import { columnsOf } from './columns.ts'
import { type Asking, conversionOf } from './conversion.ts'
import { type Definition, type Version, versionSchema } from './definition.ts'
import type { ReadMetadata } from './embedded.ts'
import { mergeOf } from './merge.ts'
import { wholeNames } from './names.ts'
import { patternsOf } from './patterns.ts'
import { ratchetOf } from './ratchet.ts'
import { rootReader } from './root.ts'
import { compileRules } from './rules.ts'
import { type Schema, schemaOf } from './schema.ts'
import { compareVersions } from './versions.ts'

/** What kinds made at run time take from the kinds that are there. */
export interface Surroundings {
  /** Prefix of extension keys. */
  readonly extension: string
  readonly gates: Gates
  readonly readMetadata: ReadMetadata
  readonly metadataMerge: Merge | undefined
  /** How other programs are asked to convert; without it nothing is converted by one. */
  readonly asking?: Asking
  /** The kind of a scale; without it nothing has one. */
  readonly scale: AnyKind | undefined
}

/** A version of a definition as a kind, with the schema that it was made of. */
export interface MadeKind {
  readonly kind: Kind
  readonly schema: Schema
  /** Kept for those who look them up. */
  readonly patterns: readonly unknown[]
}

/** While a definition goes, nothing new comes; what is there can change, so that its controllers let it go. */
const lastVerbs: readonly Verb[] = allVerbs.filter((verb) => verb !== 'create')
/** In the order in which discovery has always listed them (supplement S-08): creating stands before replacing. */
const verbs: readonly Verb[] = lastVerbs.flatMap((verb) =>
  verb === 'update' ? ['create', verb] : [verb],
)

/**
 * Makes the kinds of a definition's versions, served or not. What takes long is done in steps; what they give makes the
 * kinds in the moment when they are put in the place of others.
 */
export function* kindsOf(definition: Definition, around: Surroundings): Steps<MakeKinds> {
  const parts: ((reread: number) => MadeKind)[] = []
  for (const version of definition.spec.versions) {
    parts.push(yield* kindOf(definition, version, around))
  }
  return (reread) =>
    linked(
      definition,
      parts.map((part) => part(reread)),
    )
}

/** Gives the kinds, the preferred one first. `reread`: the revision up to which another schema may have been in force. */
export type MakeKinds = (reread: number) => readonly MadeKind[]

function linked(definition: Definition, made: readonly MadeKind[]): readonly MadeKind[] {
  const stored = made.find((_, index) => definition.spec.versions[index]?.storage)?.kind
  return made
    .map((one) => {
      const { kind } = one
      if (stored === undefined || kind === stored) return one
      return {
        ...one,
        kind: { ...kind, storage: { kind: stored, conversion: [], side: 'newer' as const } },
      }
    })
    .sort((a, b) => compareVersions(a.kind.version, b.kind.version)) as readonly MadeKind[]
}

const anything: JsonObject = { type: 'object' }

function* kindOf(
  definition: Definition,
  version: Version,
  around: Surroundings,
): Steps<(reread: number) => MadeKind> {
  const { spec, status, metadata } = definition
  const { group, scope } = spec
  const names = wholeNames(status?.acceptedNames?.plural ? status.acceptedNames : spec.names)
  const schema =
    (yield* versionSchema(version, around.extension)) ??
    (yield* schemaOf(anything, around.extension))
  const identity = { group, version: version.name, kind: names.kind }
  const convert = conversionOf(definition, identity, around.asking)
  const { check } = yield* compileRules(schema, 'spec', { ...around, priced: true })
  const patterns = yield* patternsOf(schema)
  const deprecation = deprecationOf(definition, version, names.kind)
  const merge = mergeOf(schema, around.metadataMerge)
  const reader = rootReader(schema, identity, around.readMetadata)
  const kindAt = (reread: number): Kind => ({
    ...identity,
    listKind: names.listKind ?? '',
    plural: names.plural,
    singular: names.singular ?? '',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    scope,
    verbs: metadata.deletionTimestamp === undefined ? verbs : lastVerbs,
    subresources: subresourcesOf(identity, version, around),
    nameRule: 'dns-subdomain',
    createOnUpdate: false,
    unconditionalUpdate: false,
    deleteReturns: 'Status',
    generation: true,
    columns: columnsOf(version.additionalPrinterColumns ?? []),
    selectableFields: {},
    rules: [],
    applyReset: {},
    merge: {
      ...merge,
      fields: { ...merge?.fields, ...(around.metadataMerge && { metadata: around.metadataMerge }) },
    },
    read: reader(),
    custom: {
      reread,
      ...(check && { check }),
      ...(around.gates.has(ratchetingGate) && { ratchet: ratchetOf(schema, reader) }),
      ...(convert && { convert }),
      ...(deprecation && { deprecation }),
    },
  })
  return (reread) => ({ kind: kindAt(reread), schema, patterns })
}

function deprecationOf({ spec }: Definition, version: Version, kind: string): string | undefined {
  if (version.deprecated !== true) return undefined
  if (version.deprecationWarning !== undefined) return version.deprecationWarning
  const newer = spec.versions
    .filter(({ name, served, deprecated }) => served && !deprecated && name !== version.name)
    .map(({ name }) => name)
    .sort(compareVersions)
    .find((name) => compareVersions(name, version.name) < 0)
  const use = newer === undefined ? '' : `; use ${spec.group}/${newer} ${kind}`
  return `${spec.group}/${version.name} ${kind} is deprecated${use}`
}

function subresourcesOf(
  identity: { readonly group: string; readonly version: string; readonly kind: string },
  { subresources }: Version,
  { scale }: Surroundings,
): readonly Subresource[] {
  const { status, scale: paths } = subresources ?? {}
  const given: Subresource['verbs'] = ['get', 'patch', 'update']
  const found: Subresource[] = []
  if (scale !== undefined && paths !== undefined) {
    const plain = (path: string): string => path.replace(/^\./, '')
    found.push({
      name: 'scale',
      kind: scale.kind,
      apiVersion: apiVersionOf(scale),
      verbs: given,
      scale: {
        specReplicasPath: plain(paths.specReplicasPath),
        statusReplicasPath: plain(paths.statusReplicasPath),
        ...(paths.labelSelectorPath && { labelSelectorPath: plain(paths.labelSelectorPath) }),
      },
      body: () => scale,
    })
  }
  if (status !== undefined) {
    const apiVersion = apiVersionOf(identity)
    found.push({ name: 'status', kind: identity.kind, apiVersion, verbs: given })
  }
  return found
}
