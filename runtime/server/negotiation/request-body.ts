import { needsSlices, yieldToEventLoop } from '../../kernel/async/slices.ts'
import { isStatus, StatusError } from '../../kernel/errors/status-error.ts'
import type { Body, PatchType } from '../../registry/registry.ts'
import {
  DecodeError,
  type DecodeOptions,
  decodeJson,
  decodeYaml,
  type Serializer,
} from '../../serializer/serializer.ts'
import { defaultLimits } from '../http/limits.ts'
import { type BodyLimits, type HttpRequest, headerOf } from '../http/request.ts'
import { bodyType, mainTypes, unsupportedMediaType } from './media-types.ts'
import { checkShape, unreadable, unreadablePatch, withoutPrefix } from './unrecognized.ts'

/**
 * Reads the whole body; `came` hears of each part. A declared length beyond the limit is refused before a byte is read.
 *
 * @throws StatusError RequestEntityTooLarge beyond the limit, BadRequest if the body ends early.
 */
export async function readBody(
  request: HttpRequest,
  came?: (bytes: number) => void,
): Promise<Uint8Array> {
  if (request.received !== undefined) return request.received
  const { bodyBytes } = request.limits ?? defaultLimits
  if (Number(headerOf(request, 'content-length') ?? 0) > bodyBytes) throw tooLarge(bodyBytes)
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of request.body()) {
      length += chunk.length
      if (length > bodyBytes) throw tooLarge(bodyBytes)
      came?.(chunk.length)
      chunks.push(chunk)
    }
  } catch (cause) {
    if (isStatus(cause)) throw cause
    throw new StatusError('BadRequest', 'the body of the request ended early', { cause })
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
}

/** What a body has to be: the formats it may come in, and the type it has if it names none. */
export interface ExpectedBody extends Omit<DecodeOptions, 'limits'> {
  readonly serializers: readonly Serializer[]
}

/**
 * Reads and decodes the body of a write. Its media type is checked first, so that no text of another format is ever parsed.
 *
 * @throws StatusError UnsupportedMediaType, and as `readBody` and `decodeObject` do.
 */
export async function readObject(request: HttpRequest, expected: ExpectedBody): Promise<Body> {
  const serializer = bodySerializer(request, expected.serializers)
  const bytes = await readBody(request)
  return decodeObject(serializer, bytes, request, expected)
}

/** A parameter without a value, or without a type before it, which makes a media type none. */
const oddParameter = /^\s*;|;\s*[^;=\s][^;=]*(;|$)/

/** The serializer of a request's body. @throws StatusError UnsupportedMediaType if its media type is none of theirs. */
export function bodySerializer(
  request: HttpRequest,
  serializers: readonly Serializer[],
): Serializer {
  const header = headerOf(request, 'content-type')
  const type = oddParameter.test(header ?? '') ? undefined : bodyType(header)
  const found = type && serializers.find(({ mediaTypes }) => mediaTypes.includes(type))
  if (!found) throw unsupportedMediaType(mainTypes(serializers))
  return found
}

/**
 * Decodes a body with the serializer of its media type. Null is an object without fields.
 *
 * @throws StatusError as the serializer does; BadRequest for a text that is no object of any kind.
 */
export async function decodeObject(
  serializer: Serializer,
  bytes: Uint8Array,
  { limits = defaultLimits }: HttpRequest,
  { expected, anyVersion = false }: ExpectedBody,
): Promise<Body> {
  try {
    const decoded = await serializer.decode(bytes, { expected, anyVersion, limits: limits.decode })
    checkShape(decoded.value, bytes, expected)
    const body = decoded.value === null ? { ...decoded, value: {} } : decoded
    return await yieldIfLarge(body, bytes)
  } catch (error) {
    if (error instanceof DecodeError) throw unreadable(error, bytes, expected)
    throw isStatus(error, 'BadRequest') ? withoutPrefix(error, bytes, expected) : error
  }
}

/** Decodes a patch: an apply is YAML, all others are JSON. @throws StatusError BadRequest that says why it cannot be read. */
export async function decodePatch(
  bytes: Uint8Array,
  type: PatchType,
  limits: BodyLimits = defaultLimits,
  checked = true,
): Promise<Body> {
  try {
    return await (type === 'apply' ? decodeApply(bytes, limits) : decodePlain(bytes, limits))
  } catch (error) {
    throw error instanceof DecodeError ? unreadablePatch(error, bytes, type, checked) : error
  }
}

function decodePlain(bytes: Uint8Array, { decode }: BodyLimits): Promise<Body> {
  return yieldIfLarge(decodeJson(bytes, decode), bytes)
}

/** Lets other work run behind the decoding of a large body, and marks it for those who read it next. */
async function yieldIfLarge(body: Body, { length }: Uint8Array): Promise<Body> {
  if (!needsSlices(length)) return body
  await yieldToEventLoop()
  return { ...body, large: true }
}

/**
 * Decodes an applied configuration, which is YAML. JSON is a part of YAML and is read as such, since that is
 * much faster, unless there is something to report: then the YAML reader does.
 */
async function decodeApply(bytes: Uint8Array, limits: BodyLimits): Promise<Body> {
  if (bytes[0] === 0x7b) {
    try {
      const body = await decodePlain(bytes, limits)
      if (body.duplicates.length === 0) return body
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
    }
  }
  return yieldIfLarge(await decodeYaml(bytes, limits.decode), bytes)
}

function tooLarge(limit: number): StatusError {
  return new StatusError('RequestEntityTooLarge', `Request entity too large: limit is ${limit}`)
}
