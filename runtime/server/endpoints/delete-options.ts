import type { FieldTypes } from '../../kernel/descriptors/field-types.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import { isStatus, StatusError } from '../../kernel/errors/status-error.ts'
import { isObject, type JsonObject } from '../../kernel/values/json.ts'
import { type Body, type DeleteOptions, readDeleteOptions } from '../../registry/registry.ts'
import { loadTypeProblems, type Serializer, unregistered } from '../../serializer/serializer.ts'
import type { Query } from '../http/query.ts'
import type { HttpRequest } from '../http/request.ts'
import { bodySerializer, decodeObject, readBody } from '../negotiation/request-body.ts'
import { versionMatch } from './request-options.ts'

/** What tells the names of the platform and the types of fields. */
type TypedScheme = Pick<Scheme, 'platform' | 'fieldTypes'>

/**
 * What a DELETE says in its body, or in its query where the body is empty, and in its If-Match header.
 *
 * @throws StatusError BadRequest for a body that is not a DeleteOptions, and as `readBody` does.
 */
export async function deleteOptions(
  request: HttpRequest,
  query: Query,
  scheme: TypedScheme,
  serializers: readonly Serializer[],
): Promise<DeleteOptions> {
  const bytes = await readBody(request)
  const dryRun = query.all('dryRun')
  const options =
    bytes.length === 0
      ? readDeleteOptions(queryBody(query), scheme.platform, dryRun)
      : await typedOptions(scheme, await sentBody(request, bytes, serializers), dryRun)
  const version = versionMatch(request)
  if (version === undefined) return options
  return { ...options, preconditions: { resourceVersion: version, ...options.preconditions } }
}

/** Options may be of any group version: clients send them in that of the kind they delete. */
async function sentBody(
  request: HttpRequest,
  bytes: Uint8Array,
  serializers: readonly Serializer[],
): Promise<Body> {
  const serializer = bodySerializer(request, serializers)
  const expected = { kind: 'DeleteOptions', apiVersion: 'v1' }
  return decodeObject(serializer, bytes, request, { serializers, expected, anyVersion: true })
}

/** The options of a body. What is wrong with a value is told by the table of types, in the words of public servers. */
async function typedOptions(
  scheme: TypedScheme,
  body: Body,
  dryRun: readonly string[],
): Promise<DeleteOptions> {
  const value = optionsOf(body, scheme)
  try {
    const options = readDeleteOptions(value, scheme.platform, dryRun)
    if (body.numerals !== undefined) await refuseTypes(scheme, value, body)
    return options
  } catch (error) {
    if (isStatus(error, 'BadRequest')) await refuseTypes(scheme, value, body)
    throw error
  }
}

/** @throws StatusError BadRequest for the first value of a wrong type, if the scheme knows types. */
async function refuseTypes(
  { fieldTypes }: TypedScheme,
  value: JsonObject,
  body: Body,
): Promise<void> {
  const types: FieldTypes | undefined = await fieldTypes?.()
  if (types === undefined) return
  const { decoded } = await loadTypeProblems()
  const problem = decoded(types, 'meta/v1.DeleteOptions', value, body)
  if (problem !== undefined) throw new StatusError('BadRequest', problem)
}

/** The options that a query may say, as a body would. */
function queryBody(query: Query): JsonObject {
  const seconds = query.integer('gracePeriodSeconds')
  return {
    ...(seconds !== undefined && { gracePeriodSeconds: seconds }),
    ...(query.has('orphanDependents') && { orphanDependents: query.flag('orphanDependents') }),
    ...(query.has('propagationPolicy') && { propagationPolicy: query.text('propagationPolicy') }),
  }
}

/** A body without a kind is taken for options, as the public API server does it. */
function optionsOf({ value }: Body, { platform }: TypedScheme): JsonObject {
  if (!isObject(value)) return {}
  const { kind } = value
  if (typeof kind !== 'string' || kind === '' || kind === 'DeleteOptions') return value
  const given = typeof value.apiVersion === 'string' ? value.apiVersion.replace(/^\//, '') : ''
  throw new StatusError('BadRequest', unregistered(kind, given || `meta.${platform.api}/v1`))
}
