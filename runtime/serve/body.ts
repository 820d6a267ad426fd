import { decodeJson, decodeYaml } from '../codec/codec.ts'
import { isStatus, StatusError } from '../kernel/status.ts'
import type { Body } from '../registry/registry.ts'
import { type BodyLimits, headerOf, type Incoming } from './exchange.ts'
import { defaultLimits } from './limits.ts'
import { bodyType, unsupported } from './media.ts'

const objectTypes = ['application/json', 'application/yaml']

/** Reads the whole body. A declared length beyond the limit is refused before a byte is read. */
export async function readBody(request: Incoming): Promise<Uint8Array> {
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

/** Reads and decodes the body of a write. The type is checked first, so that no foreign text is ever parsed. */
export async function readObjectBody(request: Incoming): Promise<Body> {
  const type = bodyType(headerOf(request, 'content-type'))
  if (!objectTypes.includes(type)) throw unsupported(objectTypes)
  const bytes = await readBody(request)
  if (bytes.length === 0) throw new StatusError('BadRequest', 'the body of the request is empty')
  return decode(type, bytes, request.limits)
}

/** Decodes a body of a JSON or YAML type; a text that cannot be read is a BadRequest that says where. */
export async function decode(
  type: string,
  bytes: Uint8Array,
  { decode: limits } = defaultLimits as BodyLimits,
): Promise<Body> {
  return type === 'application/yaml' ? decodeYaml(bytes, limits) : decodeJson(bytes, limits)
}

function tooLarge(limit: number): StatusError {
  return new StatusError('RequestEntityTooLarge', `Request entity too large: limit is ${limit}`)
}
