import type { CustomResourceSubresourceScale } from '../../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
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
import { compareVersions } from '../../kernel/meta/version-order.ts'
import { type ConversionClient, createConverter } from '../conversion/conversion.ts'
import {
  type Definition,
  type DefinitionNames,
  type DefinitionVersion,
  versionSchema,
} from '../definition/definition.ts'
import { withDefaultNames } from '../definition/names.ts'
import type { ReadMetadata } from '../reader/embedded.ts'
import { rootReader } from '../reader/root.ts'
import { compilePatterns } from '../schema/patterns.ts'
import { type Schema, schemaOf } from '../schema/schema.ts'
import { compileRules } from '../schema/validation-rules.ts'
import { printerColumns } from './columns.ts'
import { fieldErrorsOf } from './field-errors.ts'
import { mergeFacts } from './merge.ts'
import { typeProblemsOf } from './type-problems.ts'

/** What custom kinds take from the scheme that they are added to. */
export interface KindEnvironment {
  /** The prefix of extension keys. */
  readonly extension: string
  readonly gates: EnabledGates
  readonly readMetadata: ReadMetadata
  readonly metadataMerge: MergeStrategy | undefined
  /** Calls conversion webhooks; without it objects are not converted. */
  readonly conversionClient?: ConversionClient
  /** The kind Scale; without it no kind has the scale subresource. */
  readonly scale: AnyKind | undefined
}

/** A version of a definition as a kind, and the schema that it was compiled from. */
export interface CustomKind {
  readonly kind: Kind
  readonly schema: Schema
  /** Holds the compiled patterns for as long as the kind lives (`compilePatterns`). */
  readonly patterns: readonly unknown[]
}

/** The verbs of a definition that is being deleted: objects can change, so that controllers remove finalizers. */
const verbsWhileDeleting: readonly Verb[] = allVerbs.filter((verb) => verb !== 'create')

/** All verbs, in the order in which discovery lists those of custom kinds: `create` before `update` (supplement S-08). */
const verbs: readonly Verb[] = verbsWhileDeleting.flatMap((verb) =>
  verb === 'update' ? ['create', verb] : [verb],
)

/**
 * Creates the kinds, those of preferred versions first. Objects that were stored up to the revision
 * may follow an older schema and are read again when they are served. The revision is known only at
 * the moment of the change, which is why compiling and creating are two steps.
 */
export type CreateKinds = (rereadUpToRevision: number) => readonly CustomKind[]

/** Cost in steps of a version, whatever its schema. */
const versionCost = 60

/**
 * Compiles the versions of a definition, served or not. Yields costs in steps; what it returns is
 * cheap and creates the kinds at the moment when they replace others. Versions that are not served
 * are compiled because objects may be stored in them. The definition must be a valid one.
 */
export function* compileKinds(
  definition: Definition,
  environment: KindEnvironment,
): Steps<CreateKinds> {
  const compiled: ((rereadUpToRevision: number) => CustomKind)[] = []
  for (const version of definition.spec.versions) {
    yield versionCost
    compiled.push(yield* compileKind(definition, version, environment))
  }
  return (revision) =>
    linkToStorageVersion(
      definition,
      compiled.map((create) => create(revision)),
    )
}

/**
 * Sets the storage version in the kinds of the other versions, and sorts by version priority. The
 * storage version itself links to nothing: it is read and written as it is. Versions of custom
 * kinds all count as newer than the stored one, and no functions convert between them; a webhook
 * does, or nothing but the apiVersion changes (C-19, C-21).
 */
function linkToStorageVersion(
  definition: Definition,
  kinds: readonly CustomKind[],
): readonly CustomKind[] {
  const { versions } = definition.spec
  const stored = kinds.find((_, index) => versions[index]?.storage)?.kind
  const linked = kinds.map((custom): CustomKind => {
    if (stored === undefined || custom.kind === stored) return custom
    const storageVersion = { kind: stored, conversion: [], side: 'newer' as const }
    return { ...custom, kind: { ...custom.kind, storageVersion } as Kind }
  })
  return linked.sort((a, b) => compareVersions(a.kind.version, b.kind.version))
}

/**
 * A version without a schema has one of an object without fields, so that everything in it is
 * pruned. The costs of rules are not estimated again: that was done when the definition was
 * written.
 */
function* compileKind(
  definition: Definition,
  version: DefinitionVersion,
  environment: KindEnvironment,
): Steps<(rereadUpToRevision: number) => CustomKind> {
  const { extension, readMetadata, gates } = environment
  const identity = identityOf(definition, version)
  const schema = versionSchema(version, extension) ?? schemaOf({ type: 'object' }, extension)
  const { check } = yield* compileRules(schema, 'spec', { extension, gates, costChecked: true })
  const patterns = yield* compilePatterns(schema)
  const root = rootReader(schema, identity, readMetadata)
  const facts = {
    ...kindFacts(definition, version, environment),
    merge: mergeOf(schema, environment),
    read: root.reader(),
  }
  const behavior = {
    ...(check && { check }),
    typeProblems: typeProblemsOf(schema, environment),
    fieldErrors: fieldErrorsOf(schema, root, {
      scale: version.subresources?.scale,
      ratcheting: gates.has(ratchetingGate),
    }),
    ...versionBehavior(definition, version, environment),
  }
  return (rereadUpToRevision) => ({
    kind: { ...facts, customResource: { rereadUpToRevision, ...behavior } },
    schema,
    patterns,
  })
}

/** The conversion to a version and its deprecation warning, if it has them. */
function versionBehavior(
  definition: Definition,
  version: DefinitionVersion,
  { conversionClient }: KindEnvironment,
) {
  const identity = identityOf(definition, version)
  const convert = createConverter(definition, identity, conversionClient)
  const deprecation = deprecationOf(definition, version, identity.kind)
  return { ...(convert && { convert }), ...(deprecation && { deprecation }) }
}

/**
 * The accepted names of a definition; the requested ones until names are accepted. Accepted names
 * can differ from requested ones (C-03), and objects are served under the accepted ones.
 */
function namesOf({ spec, status }: Definition): DefinitionNames {
  return withDefaultNames(status?.acceptedNames?.plural ? status.acceptedNames : spec.names)
}

function identityOf(definition: Definition, { name }: DefinitionVersion) {
  return { group: definition.spec.group, version: name, kind: namesOf(definition).kind }
}

/** The facts of a kind that do not depend on its schema. */
function kindFacts(
  definition: Definition,
  version: DefinitionVersion,
  environment: KindEnvironment,
) {
  const { spec, metadata } = definition
  const {
    plural,
    singular = '',
    shortNames = [],
    listKind = '',
    categories = [],
  } = namesOf(definition)
  const identity = identityOf(definition, version)
  return {
    ...identity,
    listKind,
    plural,
    singular,
    shortNames,
    categories,
    scope: spec.scope,
    verbs: metadata.deletionTimestamp === undefined ? verbs : verbsWhileDeleting,
    subresources: subresourcesOf(identity, version, environment),
    columns: printerColumns(version.additionalPrinterColumns ?? []),
    ...factsOfAll,
  }
}

/**
 * What holds for custom kinds of every definition. Names are DNS subdomains and generation is
 * counted (C-27). An update neither creates an object nor goes without resourceVersion.
 */
const factsOfAll = {
  nameFormat: 'dns-subdomain',
  createOnUpdate: false,
  unconditionalUpdate: false,
  deleteReturns: 'Status',
  generation: true,
  selectableFields: {},
  strategies: [],
  applyReset: {},
} as const

/**
 * The metadata of the object always merges as that of built-in kinds, whatever the schema
 * says below `metadata`.
 */
function mergeOf(schema: Schema, { metadataMerge }: KindEnvironment): MergeStrategy {
  const merge = mergeFacts(schema, metadataMerge)
  const metadata = metadataMerge && { metadata: metadataMerge }
  return { ...merge, fields: { apiVersion: {}, kind: {}, ...merge?.fields, ...metadata } }
}

/**
 * The deprecation warning of a version: its own text, or one that names the best version that is
 * not deprecated. Only a version of higher priority is recommended, never an older one (C-22).
 * Without one the warning says only that the version is deprecated. Undefined for a version that is
 * not deprecated.
 */
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

/**
 * They are opt-in by version: one version may have a status subresource that another does not
 * (C-16, C-17).
 */
function subresourcesOf(
  identity: { readonly group: string; readonly version: string; readonly kind: string },
  { subresources }: DefinitionVersion,
  { scale: scaleKind }: KindEnvironment,
): readonly Subresource[] {
  const { status, scale } = subresources ?? {}
  const verbs: Subresource['verbs'] = ['get', 'patch', 'update']
  const apiVersion = apiVersionOf(identity)
  return [
    ...(scale && scaleKind ? [{ ...scaleSubresource(scale, scaleKind), verbs }] : []),
    ...(status ? [{ name: 'status', kind: identity.kind, apiVersion, verbs }] : []),
  ]
}

/**
 * Definitions write paths with a leading dot, the registry without one. The body is a Scale
 * whatever the version of the custom kind.
 */
function scaleSubresource(paths: CustomResourceSubresourceScale, scale: AnyKind) {
  const withoutDot = (path: string): string => path.replace(/^\./, '')
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = paths
  return {
    name: 'scale',
    kind: scale.kind,
    apiVersion: apiVersionOf(scale),
    scale: {
      specReplicasPath: withoutDot(specReplicasPath),
      statusReplicasPath: withoutDot(statusReplicasPath),
      ...(labelSelectorPath && { labelSelectorPath: withoutDot(labelSelectorPath) }),
    },
    body: () => scale,
  }
}
