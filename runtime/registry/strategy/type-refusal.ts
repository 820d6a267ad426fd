/** The refusal of a body whose values have other types than the fields of its kind, in the words of public servers. */

import type { FieldTypes } from '../../kernel/descriptors/field-types.ts'
import { type AnyKind, storedKind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import type { FieldError, ReadReport } from '../../kernel/validation/field-error.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'
import {
  loadTypeProblems,
  type ReadResult,
  type TypeHints,
  type TypeProblems,
  unregistered,
} from '../../serializer/serializer.ts'

/** What knows the types of fields. */
export type TypedScheme = Pick<Scheme, 'fieldTypes'>

/** BadRequest for a body that is not an object of the kind. */
export function unhandled(
  kind: AnyKind,
  why: string,
  given: Pick<AnyKind, 'kind' | 'version'> = kind,
): StatusError {
  return new StatusError(
    'BadRequest',
    `${given.kind} in version "${given.version}" cannot be handled as a ${kind.kind}: ${why}`,
  )
}

/** What makes one ask whether a value has the types of its kind. */
export interface TypeDoubt extends TypeHints {
  /** What the reader found. */
  readonly found?: string
  /** The metadata that this is about, of a custom object or a resource in it. */
  readonly metadata?: ReadReport['malformedMetadata']
  /** How the value becomes an object: as a text that is decoded, or as values that are converted. */
  readonly way?: keyof TypeProblems
}

/** Why what was read may have the wrong type; undefined for nearly every body. In JSON no integer has a fraction: `1.0`. */
export function typeDoubt(
  { report }: ReadResult,
  { numerals = [], sorted = false }: TypeHints,
): TypeDoubt | undefined {
  const found = report.typeErrors[0]?.message
  const metadata = report.malformedMetadata
  if (found !== undefined) return { found, numerals, sorted, ...(metadata && { metadata }) }
  return numerals.some(({ text }) => !/^-?[0-9]+$/.test(text)) ? { numerals, sorted } : undefined
}

/**
 * Why a value is no object of the kind. What its reader found stands where the scheme has no table of types, or that finds
 * nothing wrong.
 */
export async function typeProblemOf(
  { fieldTypes }: TypedScheme,
  kind: AnyKind,
  value: Json,
  { found, metadata, way = 'decoded', ...hints }: TypeDoubt,
): Promise<string | undefined> {
  if (fieldTypes === undefined) return found
  const [types, problems] = await Promise.all([fieldTypes(), loadTypeProblems()])
  const struct = types.kinds[`${apiVersionOf(kind)}/${kind.kind}`]
  if (struct === undefined) {
    if (metadata === undefined) return found
    const why = await metadataProblem({ fieldTypes }, metadata)
    return why === undefined ? found : `${metadata.told}${why}`
  }
  return problems[way](types, struct, value, hints) ?? found
}

/** Errors with the one about the metadata of an embedded resource in the words of public servers. */
export async function restateMetadataError(
  scheme: TypedScheme,
  malformed: MalformedMetadata,
  errors: readonly FieldError[],
): Promise<readonly FieldError[]> {
  const why = await metadataProblem(scheme, malformed)
  if (why === undefined) return errors
  return errors.map((error) => {
    const start = `${error.path}: `
    if (!`${start}${error.message}`.startsWith(malformed.told)) return error
    return { ...error, message: `${malformed.told}${why}`.slice(start.length) }
  })
}

async function metadataProblem(
  { fieldTypes }: TypedScheme,
  { given }: MalformedMetadata,
): Promise<string | undefined> {
  if (fieldTypes === undefined) return undefined
  const [types, problems] = await Promise.all([fieldTypes(), loadTypeProblems()])
  return problems.decoded(types, metaStruct, given as Json, { sorted: true })
}

/** Metadata that is none, of a custom object or a resource in it. */
export type MalformedMetadata = NonNullable<ReadReport['malformedMetadata']>

/** Metadata in the tables of types. */
const metaStruct = 'meta/v1.ObjectMeta'

/** True for a body that names no other kind and no other version; one that names texts at all is left to its reader. */
export function statesKind(kind: AnyKind, value: Json): boolean {
  if (!isObject(value)) return true
  const { kind: name, apiVersion } = value
  if (typeof (name ?? '') !== 'string' || typeof (apiVersion ?? '') !== 'string') return true
  return (!name || name === kind.kind) && (!apiVersion || apiVersion === apiVersionOf(kind))
}

/** BadRequest for a body that states another kind or version than the path's. */
export async function otherKind(
  scheme: TypedScheme,
  kind: AnyKind,
  value: Json,
): Promise<StatusError> {
  const { name, apiVersion } = statedType(kind, value)
  const why = await otherKindProblem(scheme, kind, value)
  if (why.startsWith(otherVersion)) return new StatusError('BadRequest', why)
  return unhandled(kind, why, {
    kind: name,
    version: apiVersion.slice(apiVersion.indexOf('/') + 1),
  })
}

/** Why a value that states another kind or version is none of this one. */
export async function otherKindProblem(
  { fieldTypes }: TypedScheme,
  kind: AnyKind,
  value: Json,
): Promise<string> {
  const { name, apiVersion } = statedType(kind, value)
  const types = await fieldTypes?.()
  const kinds = types?.kinds ?? {}
  const struct = Object.hasOwn(kinds, `${apiVersion}/${name}`)
    ? kinds[`${apiVersion}/${name}`]
    : undefined
  const own = kinds[`${apiVersionOf(storedKind(kind))}/${kind.kind}`] ?? ''
  const target = `${own.slice(0, own.indexOf('/'))}.${kind.kind}`
  if (metaKinds.has(name) && Object.keys(kinds).some((one) => one.startsWith(`${apiVersion}/`)))
    return (
      (await ownProblem(types, `meta/v1.${name}`, value)) ??
      `converting (v1.${name}) to (${target}): unknown conversion`
    )
  if (struct === undefined) return unregistered(name, apiVersion)
  const problem = await ownProblem(types, struct, value)
  if (problem !== undefined) return problem
  if (name === kind.kind && [kind.group, storedKind(kind).group].includes(groupOf(apiVersion)))
    return `${otherVersion} (${apiVersion}) does not match the expected API version (${apiVersionOf(kind)})`
  return `converting (${struct.slice(struct.indexOf('/') + 1)}) to (${target}): unknown conversion`
}

/** Why a value is not even what it states to be: that is decoded before it is converted. */
async function ownProblem(
  types: FieldTypes | undefined,
  struct: string,
  value: Json,
): Promise<string | undefined> {
  if (types === undefined || !Object.hasOwn(types.structs, struct)) return undefined
  return (await loadTypeProblems()).decoded(types, struct, value, {})
}

/** Kinds that every group version has. */
const metaKinds: ReadonlySet<string> = new Set([
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
])

const otherVersion = 'the API version in the data'

function statedType(kind: AnyKind, value: Json): { name: string; apiVersion: string } {
  const stated = isObject(value) ? value : {}
  return {
    name: String(stated.kind || kind.kind),
    apiVersion: String(stated.apiVersion || apiVersionOf(kind)),
  }
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
}
