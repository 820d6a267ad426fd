import type { Steps } from '../../kernel/async/slices.ts'
import { type EnabledGates, ratchetingGate } from '../../kernel/descriptors/enabled-gates.ts'
import {
  type AnyKind,
  allVerbs,
  type Kind,
  type MergeStrategy,
  type Subresource,
  type Verb,
} from '../../kernel/descriptors/kind.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import { type ConversionClient, createConverter } from '../conversion/conversion.ts'
import { type Definition, type DefinitionVersion, versionSchema } from '../definition/definition.ts'
import { withDefaultNames } from '../definition/names.ts'
import { compareVersions } from '../definition/version-order.ts'
import type { ReadMetadata } from '../reader/embedded.ts'
import { ratchetOf } from '../reader/ratchet.ts'
import { rootReader } from '../reader/root.ts'
import { compilePatterns } from '../schema/patterns.ts'
import { parseSchema, type Schema } from '../schema/schema.ts'
import { compileRules } from '../schema/validation-rules.ts'
import { printerColumns } from './columns.ts'
import { mergeFacts } from './merge.ts'

/** What kinds made at run time take from the kinds that are there. */
export interface KindEnvironment {
  /** Prefix of extension keys. */
  readonly extension: string
  readonly gates: EnabledGates
  readonly readMetadata: ReadMetadata
  readonly metadataMerge: MergeStrategy | undefined
  /** How other programs are asked to convert; without it nothing is converted by one. */
  readonly conversionClient?: ConversionClient
  /** The kind of a scale; without it nothing has one. */
  readonly scale: AnyKind | undefined
}

/** A version of a definition as a kind, with the schema that it was made of. */
export interface CustomKind {
  readonly kind: Kind
  readonly schema: Schema
  /** Kept for those who look them up. */
  readonly patterns: readonly unknown[]
}

/** While a definition goes, nothing new comes; what is there can change, so that its controllers let it go. */
const verbsWhileDeleting: readonly Verb[] = allVerbs.filter((verb) => verb !== 'create')
/** In the order in which discovery has always listed them (supplement S-08): creating stands before replacing. */
const verbs: readonly Verb[] = verbsWhileDeleting.flatMap((verb) =>
  verb === 'update' ? ['create', verb] : [verb],
)

/**
 * Makes the kinds of a definition's versions, served or not. What takes long is done in steps; what they give makes the
 * kinds in the moment when they are put in the place of others.
 */
export function* compileKinds(definition: Definition, around: KindEnvironment): Steps<CreateKinds> {
  const parts: ((reread: number) => CustomKind)[] = []
  for (const version of definition.spec.versions) {
    parts.push(yield* compileKind(definition, version, around))
  }
  return (reread) =>
    linkToStorageVersion(
      definition,
      parts.map((part) => part(reread)),
    )
}

/** Gives the kinds, the preferred one first. `reread`: the revision up to which another schema may have been in force. */
export type CreateKinds = (reread: number) => readonly CustomKind[]

function linkToStorageVersion(
  definition: Definition,
  made: readonly CustomKind[],
): readonly CustomKind[] {
  const stored = made.find((_, index) => definition.spec.versions[index]?.storage)?.kind
  return made
    .map((one) => {
      const { kind } = one
      if (stored === undefined || kind === stored) return one
      return {
        ...one,
        kind: { ...kind, storageVersion: { kind: stored, conversion: [], side: 'newer' as const } },
      }
    })
    .sort((a, b) => compareVersions(a.kind.version, b.kind.version)) as readonly CustomKind[]
}

const anything: JsonObject = { type: 'object' }

function* compileKind(
  definition: Definition,
  version: DefinitionVersion,
  around: KindEnvironment,
): Steps<(reread: number) => CustomKind> {
  const { spec, status, metadata } = definition
  const { group, scope } = spec
  const names = withDefaultNames(status?.acceptedNames?.plural ? status.acceptedNames : spec.names)
  const schema =
    (yield* versionSchema(version, around.extension)) ??
    (yield* parseSchema(anything, around.extension))
  const identity = { group, version: version.name, kind: names.kind }
  const convert = createConverter(definition, identity, around.conversionClient)
  const { check } = yield* compileRules(schema, 'spec', { ...around, priced: true })
  const patterns = yield* compilePatterns(schema)
  const deprecation = deprecationOf(definition, version, names.kind)
  const merge = mergeFacts(schema, around.metadataMerge)
  const reader = rootReader(schema, identity, around.readMetadata)
  const kindAt = (reread: number): Kind => ({
    ...identity,
    listKind: names.listKind ?? '',
    plural: names.plural,
    singular: names.singular ?? '',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    scope,
    verbs: metadata.deletionTimestamp === undefined ? verbs : verbsWhileDeleting,
    subresources: subresourcesOf(identity, version, around),
    nameFormat: 'dns-subdomain',
    createOnUpdate: false,
    unconditionalUpdate: false,
    deleteReturns: 'Status',
    generation: true,
    columns: printerColumns(version.additionalPrinterColumns ?? []),
    selectableFields: {},
    strategies: [],
    applyReset: {},
    merge: {
      ...merge,
      fields: { ...merge?.fields, ...(around.metadataMerge && { metadata: around.metadataMerge }) },
    },
    read: reader(),
    customResource: {
      rereadUpToRevision: reread,
      ...(check && { check }),
      ...(around.gates.has(ratchetingGate) && { ratchet: ratchetOf(schema, reader) }),
      ...(convert && { convert }),
      ...(deprecation && { deprecation }),
    },
  })
  return (reread) => ({ kind: kindAt(reread), schema, patterns })
}

function deprecationOf(
  { spec }: Definition,
  version: DefinitionVersion,
  kind: string,
): string | undefined {
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
  { subresources }: DefinitionVersion,
  { scale }: KindEnvironment,
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
