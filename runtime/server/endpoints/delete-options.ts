import type { Platform } from '../../kernel/descriptors/platform.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { type DeleteOptions, readDeleteOptions } from '../../registry/registry.ts'
import type { Serializer } from '../../serializer/serializer.ts'
import type { Query } from '../http/query.ts'
import type { HttpRequest } from '../http/request.ts'
import { bodySerializer, decodeObject, readBody } from '../negotiation/request-body.ts'
import { versionMatch } from './request-options.ts'

/**
 * What a DELETE says in its body, or in its query where the body is empty, and in its If-Match header.
 *
 * @throws StatusError BadRequest for a body that is not a DeleteOptions, and as `readBody` does.
 */
export async function deleteOptions(
  request: HttpRequest,
  query: Query,
  platform: Platform,
  serializers: readonly Serializer[],
): Promise<DeleteOptions> {
  const bytes = await readBody(request)
  const body = bytes.length === 0 ? queryBody(query) : await sentBody(request, bytes, serializers)
  const options = readDeleteOptions(body, platform, query.all('dryRun'))
  const version = versionMatch(request)
  if (version === undefined) return options
  return { ...options, preconditions: { resourceVersion: version, ...options.preconditions } }
}

/** Options may be of any group version: clients send them in that of the kind they delete. */
async function sentBody(
  request: HttpRequest,
  bytes: Uint8Array,
  serializers: readonly Serializer[],
): Promise<JsonObject> {
  const serializer = bodySerializer(request, serializers)
  const expected = { kind: 'DeleteOptions', apiVersion: 'v1' }
  const body = { serializers, expected, anyVersion: true }
  return bodyOf((await decodeObject(serializer, bytes, request, body)).value)
}

/** The options that a query may say, as a body would. */
function queryBody(query: Query): JsonObject {
  const seconds = query.integer('gracePeriodSeconds')
  return {
    ...(seconds !== undefined && { gracePeriodSeconds: seconds }),
    ...(query.has('orphanDependents') && { orphanDependents: query.flag('orphanDependents') }),
    ...(query.text('propagationPolicy') && { propagationPolicy: query.text('propagationPolicy') }),
  }
}

/** A body without a kind is taken for options, as the public API server does it. */
function bodyOf(value: Json): JsonObject {
  if (!isObject(value)) {
    const found = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value
    throw new StatusError('BadRequest', `the body: expected an object, found ${found}`)
  }
  const kind = value.kind
  if (kind === undefined || kind === '' || kind === 'DeleteOptions') return value
  throw new StatusError(
    'BadRequest',
    `${typeof kind === 'string' ? kind : typeof kind} cannot be handled as a DeleteOptions`,
  )
}
