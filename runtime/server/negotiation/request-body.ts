import { needsSlices, yieldToEventLoop } from '../../kernel/async/slices.ts'
import { isStatus, StatusError } from '../../kernel/errors/status-error.ts'
import type { Body } from '../../registry/registry.ts'
import {
  DecodeError,
  decodeJson,
  decodeYaml,
  type ObjectType,
} from '../../serializer/serializer.ts'
import { defaultLimits } from '../http/limits.ts'
import { type BodyLimits, type HttpRequest, headerOf } from '../http/message.ts'
import { bodyType, unsupportedMediaType } from './media-types.ts'
import type { ProtobufFormat } from './protobuf.ts'

const objectTypes = ['application/json', 'application/yaml']

/** Reads the whole body. A declared length beyond the limit is refused before a byte is read. */
export async function readBody(request: HttpRequest): Promise<Uint8Array> {
  const { bodyBytes } = request.limits ?? defaultLimits
  if (Number(headerOf(request, 'content-length') ?? 0) > bodyBytes) throw tooLarge(bodyBytes)
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of request.body()) {
      length += chunk.length
      if (length > bodyBytes) throw tooLarge(bodyBytes)
      chunks.push(chunk)
    }
  } catch (cause) {
    if (isStatus(cause)) throw cause
    throw new StatusError('BadRequest', 'the body of the request ended early', { cause })
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
}

/** The protobuf form in which a body may come, and the type it has if it does not say so. */
export interface ProtobufBody extends ObjectType {
  readonly binary: ProtobufFormat
  /** The message that it has to be, whatever type it names. */
  readonly message?: string
}

/** Reads and decodes the body of a write. The type is checked first, so that no foreign text is ever parsed. */
export async function readObject(request: HttpRequest, binary?: ProtobufBody): Promise<Body> {
  const type = checkedType(request, binary)
  const bytes = await readBody(request)
  if (bytes.length === 0) throw new StatusError('BadRequest', 'the body of the request is empty')
  return decodeAs(type, bytes, request.limits, binary)
}

/** The type of a body that may be an object. */
export function checkedType(request: HttpRequest, body?: ProtobufBody): string {
  const type = bodyType(headerOf(request, 'content-type'))
  const binary = body?.binary.types ?? []
  if (objectTypes.includes(type) || binary.includes(type)) return type
  throw unsupportedMediaType([...objectTypes, ...binary.slice(0, 1)])
}

/** Decodes a body of a type that was checked. */
export async function decodeAs(
  type: string,
  bytes: Uint8Array,
  limits: BodyLimits | undefined,
  body?: ProtobufBody,
): Promise<Body> {
  if (body === undefined || objectTypes.includes(type)) return decode(type, bytes, limits)
  const { binary, message, kind, apiVersion } = body
  const { codec } = await binary.load()
  const reading = { message, limits: limits?.decode }
  const value = codec.decodeObject(bytes, { kind, apiVersion }, reading)
  return yieldIfLarge({ value, duplicates: [] }, bytes)
}

/** Decodes a body of a JSON or YAML type; a text that cannot be read is a BadRequest that says where. */
export async function decode(
  type: string,
  bytes: Uint8Array,
  { decode: limits } = defaultLimits as BodyLimits,
): Promise<Body> {
  return yieldIfLarge(
    type === 'application/yaml' ? await decodeYaml(bytes, limits) : decodeJson(bytes, limits),
    bytes,
  )
}

/** A body, after a turn of others if it is a large one. */
async function yieldIfLarge(body: Body, { length }: Uint8Array): Promise<Body> {
  if (!needsSlices(length)) return body
  await yieldToEventLoop()
  return { ...body, large: true }
}

/** Decodes an applied configuration: YAML, of which JSON is a part that is read faster unless there is something to tell. */
export async function decodeConfig(bytes: Uint8Array, limits?: BodyLimits): Promise<Body> {
  if (bytes[0] === 0x7b) {
    try {
      const body = await decode('application/json', bytes, limits)
      if (body.duplicates.length === 0) return body
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
    }
  }
  return decode('application/yaml', bytes, limits)
}

function tooLarge(limit: number): StatusError {
  return new StatusError('RequestEntityTooLarge', `Request entity too large: limit is ${limit}`)
}
