/** The objects of a request and its answer, as an audit record holds them: JSON without line breaks. */
import type { Decision } from '../audit/audit.ts'
import { decodeJson, decodeYaml, encode, parse } from '../codec/codec.ts'
import type { Awaitable } from '../kernel/awaitable.ts'
import { isObject, type Json, type JsonObject } from '../kernel/json.ts'
import { apiVersionOf } from '../kernel/object.ts'
import { bodyKindOf } from '../registry/registry.ts'
import type { Asked } from './asked.ts'
import type { Core } from './core.ts'
import { type Answer, headerOf, type Incoming } from './exchange.ts'
import { bodyType } from './media.ts'
import type { Binary } from './protobuf.ts'

/** Whose objects they are, and what is left out of them. */
export interface Recording {
  readonly core: Core
  readonly request: Incoming
  readonly asked: Asked
  readonly decision: Decision
}

type Text = string | undefined

/** The body of a request, of which `kept` was read; undefined where it had none or cannot be read. */
export function sentObject(
  recording: Recording,
  kept: readonly Uint8Array[],
  { status }: Answer,
): Awaitable<Text> {
  const { core, request, asked, decision } = recording
  if (kept.length === 0 || asked.target === undefined) return undefined
  const bytes = kept.length === 1 && kept[0] !== undefined ? kept[0] : Buffer.concat(kept)
  const type = bodyType(headerOf(request, 'content-type'))
  if (!isReadable(type, core.binary)) return undefined
  // What was answered with success has been read, strictly: its text is good as it is.
  const sound = status < 400 && bytes[0] === openBrace
  if (isJson(type) && sound && !decision.omitManagedFields && isLine(bytes)) return textOf(bytes)
  return attempted(recording, () => sentValue(recording, type, bytes))
}

/** The object of an answer. Stored bytes are taken as they are, unless something is to be left out of them. */
export function toldObject(recording: Recording, answer: Answer): Awaitable<Text> {
  const { asked, decision } = recording
  const { body, headers, outcome, written } = answer
  if (asked.target === undefined || typeof body === 'function') return undefined
  if (outcome !== undefined) return JSON.stringify(outcome)
  const type = bodyType(String(headers['Content-Type'] ?? ''))
  if (type === 'text/plain') return undefined
  const whole = body instanceof Uint8Array ? body : Buffer.concat([...body.pieces()])
  const bytes = !isJson(type) && written !== undefined ? written.bytes : whole
  if (!isJson(type) && bytes === whole) {
    return attempted(recording, () => otherValue(recording, type, bytes))
  }
  const end = bytes[bytes.length - 1] === lineFeed ? bytes.length - 1 : bytes.length
  const line = bytes.subarray(0, end)
  if (!decision.omitManagedFields && isLine(line)) return textOf(line)
  return attempted(recording, () => parse(line))
}

function sentValue(recording: Recording, type: string, bytes: Uint8Array): Awaitable<Json> {
  const limits = recording.request.limits?.decode
  return isJson(type) ? decodeJson(bytes, limits).value : otherValue(recording, type, bytes)
}

async function otherValue(
  { core: { binary }, asked: { target }, request }: Recording,
  type: string,
  bytes: Uint8Array,
): Promise<Json> {
  const limits = request.limits?.decode
  if (!binary?.types.includes(type) || target === undefined) {
    return (await decodeYaml(bytes, limits)).value
  }
  const kind = bodyKindOf(target)
  const expected = { kind: kind.kind, apiVersion: apiVersionOf(kind) }
  return (await binary.open()).codec.decodeObject(bytes, expected, { limits })
}

/** A body that cannot be read is what the answer is about; the record does without it. */
function attempted({ decision }: Recording, read: () => Awaitable<Json>): Awaitable<Text> {
  const print = (value: Json): string =>
    textOf(encode(decision.omitManagedFields ? withoutManagers(value) : value))
  try {
    const value = read()
    if (!(value instanceof Promise)) return print(value)
    return value.then(print).catch(() => undefined)
  } catch {
    return undefined
  }
}

/** The value without field ownership: that of an object, of the items of a list, and of the rows of a table. */
function withoutManagers(value: Json): Json {
  if (!isObject(value)) return value
  const { metadata, items, rows } = value
  return {
    ...value,
    ...(isObject(metadata) && { metadata: unmanaged(metadata) }),
    ...(Array.isArray(items) && { items: items.map(withoutManagers) }),
    ...(Array.isArray(rows) && { rows: rows.map(withoutManagedObject) }),
  }
}

function unmanaged(metadata: JsonObject): Json {
  const { managedFields: _, ...rest } = metadata
  return rest
}

function withoutManagedObject(row: Json): Json {
  if (!isObject(row) || row.object === undefined) return row
  return { ...row, object: withoutManagers(row.object) }
}

const openBrace = 0x7b
const lineFeed = 0x0a

function isJson(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json')
}

/** True for types in which the server reads objects. */
function isReadable(type: string, binary: Binary | undefined): boolean {
  const isYaml = type === 'application/yaml' || type.endsWith('+yaml')
  return isJson(type) || isYaml || (binary?.types.includes(type) ?? false)
}

function isLine(bytes: Uint8Array): boolean {
  return !bytes.includes(lineFeed) && !bytes.includes(0x0d)
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString()
}
