/** The objects of a request and its response as an audit event has them: JSON without line breaks. */
import type { AuditDecision } from '../../audit/audit.ts'
import { type Awaitable, chainAwaitable } from '../../kernel/async/awaitable.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { bodyKindOf, objectOfBody } from '../../registry/registry.ts'
import {
  decodeJson,
  decodeYaml,
  type EncodedBody,
  encodeJson,
  parseTrustedJson,
  type Serializer,
  type StreamedBody,
  serializerOf,
} from '../../serializer/serializer.ts'
import { type HttpRequest, headerOf } from '../http/request.ts'
import type { HttpResponse } from '../http/response.ts'
import { bodyType } from '../negotiation/media-types.ts'
import type { RequestInfo } from '../request/request-info.ts'

/** A request whose objects are recorded, and what the policy leaves out of them. */
export interface AuditedRequest {
  readonly serializers: readonly Serializer[]
  readonly request: HttpRequest
  readonly info: RequestInfo
  readonly decision: AuditDecision
  /** What the defaults of objects follow from. */
  readonly facts: Parameters<typeof objectOfBody>[0]
}

/** JSON on one line; undefined where there is none to record. */
type Text = string | undefined

/**
 * The object that a request sent, of which `captured` was read: as it was read, with defaults and without unknown fields; a patch and options of a
 * deletion as they were sent. Undefined where it had none or cannot be read.
 */
export function requestObjectText(
  recording: AuditedRequest,
  captured: readonly Uint8Array[],
  { status }: HttpResponse,
): Awaitable<Text> {
  const { serializers, request, info, decision } = recording
  if (captured.length === 0 || info.target === undefined) return undefined
  const bytes =
    captured.length === 1 && captured[0] !== undefined ? captured[0] : Buffer.concat(captured)
  const type = bodyType(headerOf(request, 'content-type'))
  if (serializerOf(serializers, type) === undefined) return undefined
  const { target, verb } = info
  if (verb === 'create' || verb === 'update') {
    return readableText(recording, async () => {
      const value = await requestValue(recording, type, bytes)
      return (await objectOfBody(recording.facts, target, value)) as unknown as Json
    })
  }
  // What was answered with success has been read, strictly: its text is good as it is.
  const sound = status < 400 && bytes[0] === openBrace
  if (isJson(type) && sound && !decision.omitManagedFields && isSingleLine(bytes))
    return utf8Text(bytes)
  return readableText(recording, () => requestValue(recording, type, bytes))
}

/** The name of the object that a body of JSON says; undefined where it cannot be read, or says none. */
export function sentName(
  request: HttpRequest,
  captured: readonly Uint8Array[],
): string | undefined {
  const type = bodyType(headerOf(request, 'content-type'))
  if (captured.length === 0 || !isJson(type)) return undefined
  try {
    const { value } = decodeJson(Buffer.concat(captured), request.limits?.decode)
    const metadata = isObject(value) ? value.metadata : undefined
    const name = isObject(metadata) ? metadata.name : undefined
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined
  }
}

/** The object of a response. Stored bytes are taken as they are, unless the policy leaves something out of them. */
export function responseObjectText(
  recording: AuditedRequest,
  response: HttpResponse,
): Awaitable<Text> {
  const { info } = recording
  const { body, headers, statusBody } = response
  if (info.target === undefined || typeof body === 'function') return undefined
  if (statusBody !== undefined) return JSON.stringify(statusBody)
  const type = bodyType(String(headers['Content-Type'] ?? ''))
  if (type === 'text/plain') return undefined
  return chainAwaitable(wholeBody(body), (whole) => bodyText(recording, response, type, whole))
}

/** Who records whole responses has them in memory, also where they are read while they are sent. */
function wholeBody(body: EncodedBody): Awaitable<Uint8Array> {
  if (body instanceof Uint8Array) return body
  if (body.length !== undefined) return Buffer.concat([...body.segments()])
  return gathered(body)
}

async function gathered({ pieces }: StreamedBody): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  for await (const piece of pieces()) all.push(piece)
  return Buffer.concat(all)
}

function bodyText(
  recording: AuditedRequest,
  { writtenItem }: HttpResponse,
  type: string,
  whole: Uint8Array,
): Awaitable<Text> {
  const { decision } = recording
  const bytes = !isJson(type) && writtenItem !== undefined ? writtenItem.bytes : whole
  if (!isJson(type) && bytes === whole) {
    return readableText(recording, () => nonJsonValue(recording, type, bytes))
  }
  const end = bytes[bytes.length - 1] === lineFeed ? bytes.length - 1 : bytes.length
  const line = bytes.subarray(0, end)
  if (!decision.omitManagedFields && isSingleLine(line)) return utf8Text(line)
  return readableText(recording, () => parseTrustedJson(line))
}

function requestValue(recording: AuditedRequest, type: string, bytes: Uint8Array): Awaitable<Json> {
  const limits = recording.request.limits?.decode
  return isJson(type) ? decodeJson(bytes, limits).value : nonJsonValue(recording, type, bytes)
}

/** Decodes a body in another format; one that is none of ours is tried as YAML. */
async function nonJsonValue(
  { serializers, info: { target }, request }: AuditedRequest,
  type: string,
  bytes: Uint8Array,
): Promise<Json> {
  const limits = request.limits?.decode
  const serializer = serializerOf(serializers, type)
  if (serializer === undefined || target === undefined) {
    return (await decodeYaml(bytes, limits)).value
  }
  const kind = bodyKindOf(target)
  const expected = { kind: kind.kind, apiVersion: apiVersionOf(kind) }
  return (await serializer.decode(bytes, { expected, limits })).value
}

/** A body that cannot be read is what the response is about: the event does without it. */
function readableText({ decision }: AuditedRequest, read: () => Awaitable<Json>): Awaitable<Text> {
  const print = (value: Json): string =>
    utf8Text(encodeJson(decision.omitManagedFields ? withoutManagedFields(value) : value))
  try {
    const value = read()
    if (!(value instanceof Promise)) return print(value)
    return value.then(print).catch(() => undefined)
  } catch {
    return undefined
  }
}

/** A value without field ownership: that of an object, of the items of a list, and of the rows of a table. */
function withoutManagedFields(value: Json): Json {
  if (!isObject(value)) return value
  const { metadata, items, rows } = value
  return {
    ...value,
    ...(isObject(metadata) && { metadata: metadataWithoutManagedFields(metadata) }),
    ...(Array.isArray(items) && { items: items.map(withoutManagedFields) }),
    ...(Array.isArray(rows) && { rows: rows.map(rowWithoutManagedFields) }),
  }
}

function metadataWithoutManagedFields(metadata: JsonObject): Json {
  const { managedFields: _, ...rest } = metadata
  return rest
}

function rowWithoutManagedFields(row: Json): Json {
  if (!isObject(row) || row.object === undefined) return row
  return { ...row, object: withoutManagedFields(row.object) }
}

const openBrace = 0x7b
const lineFeed = 0x0a

function isJson(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json')
}

/** True for JSON that may stand in a line of the log as it is. */
function isSingleLine(bytes: Uint8Array): boolean {
  return !bytes.includes(lineFeed) && !bytes.includes(0x0d)
}

function utf8Text({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString()
}
