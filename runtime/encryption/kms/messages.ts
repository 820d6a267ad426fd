import type { WireFormat } from '../../serializer/serializer.ts'

/** A field of a message of key services: its number, and what it holds. */
type Field =
  | { readonly number: number; readonly is: 'text' | 'bytes' }
  | { readonly number: number; readonly is: 'annotations' }

/** What a message has, by the names of its fields. */
type Fields = Readonly<Record<string, Field>>

type ValueOf<F extends Field> = F['is'] extends 'text'
  ? string
  : F['is'] extends 'bytes'
    ? Uint8Array
    : ReadonlyMap<string, Uint8Array>

/** A message with these fields: those that were not sent are empty. */
export type Message<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }

const text = <N extends number>(number: N) => ({ number, is: 'text' }) as const
const bytes = <N extends number>(number: N) => ({ number, is: 'bytes' }) as const
const annotations = <N extends number>(number: N) => ({ number, is: 'annotations' }) as const

/** The messages of version 2 of the interface of key services. */
export const messages = {
  statusRequest: {},
  statusResponse: { version: text(1), healthz: text(2), keyId: text(3) },
  encryptRequest: { plaintext: bytes(1), uid: text(2) },
  encryptResponse: { ciphertext: bytes(1), keyId: text(2), annotations: annotations(3) },
  decryptRequest: {
    ciphertext: bytes(1),
    uid: text(2),
    keyId: text(3),
    annotations: annotations(4),
  },
  decryptResponse: { plaintext: bytes(1) },
} as const

/** What is stored: the encrypted value, and what the service needs to say which secret it was encrypted with. */
export const storedMessage = {
  value: bytes(1),
  keyId: text(2),
  ciphertext: bytes(3),
  annotations: annotations(4),
} as const

const lengthDelimited = 2

/** Writes a message. */
export function encodeMessage<F extends Fields>(
  wire: WireFormat,
  fields: F,
  message: Message<F>,
): Buffer {
  const writer = new wire.WireWriter()
  for (const [name, field] of Object.entries(fields).reverse()) {
    const value = message[name as keyof F] as string | Uint8Array | ReadonlyMap<string, Uint8Array>
    const tag = field.number * 8 + lengthDelimited
    for (const one of valuesOf(wire, value).reverse()) {
      writer.raw(one)
      writer.varint(one.length)
      writer.varint(tag)
    }
  }
  return writer.take()
}

/** What is written of a field: nothing of an empty one, an entry each of a map. */
function valuesOf(
  wire: WireFormat,
  value: string | Uint8Array | ReadonlyMap<string, Uint8Array>,
): Uint8Array[] {
  if (value instanceof Map) {
    const entries = [...value].map(([key, one]) => ({ key, value: one as Uint8Array }))
    return entries.map((entry) => encodeMessage(wire, entryFields, entry))
  }
  const bytes = typeof value === 'string' ? Buffer.from(value) : (value as Uint8Array)
  return bytes.length === 0 ? [] : [bytes]
}

const entryFields = { key: text(1), value: bytes(2) } as const

/** Reads a message; fields that it does not know are passed over. @throws Error for bytes that are none. */
export function decodeMessage<F extends Fields>(
  wire: WireFormat,
  fields: F,
  bytes: Uint8Array,
): Message<F> {
  const reader = new wire.WireReader(bytes)
  const found = new Map<string, string | Uint8Array | Map<string, Uint8Array>>(
    Object.entries(fields).map(([name, { is }]) => [name, emptyOf(is)]),
  )
  const names = new Map(Object.entries(fields).map(([name, { number }]) => [number, name]))
  while (reader.at < reader.end) {
    const tag = reader.tag()
    const name = names.get(tag >>> 3)
    if (name === undefined || (tag & 7) !== lengthDelimited) {
      reader.skip(tag)
      continue
    }
    const value = reader.slice()
    const before = found.get(name)
    if (before instanceof Map) {
      const entry = decodeMessage(wire, entryFields, value)
      before.set(entry.key, entry.value)
    } else found.set(name, typeof before === 'string' ? value.toString() : value)
  }
  return Object.fromEntries(found) as Message<F>
}

function emptyOf(is: Field['is']): string | Uint8Array | Map<string, Uint8Array> {
  if (is === 'text') return ''
  return is === 'bytes' ? new Uint8Array() : new Map()
}
