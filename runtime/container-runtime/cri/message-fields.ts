/** Messages on the wire: what a field is decides how it is written, read, and what it is when it was not sent. */

/** A field of a message, by its number. */
export interface Field<T> {
  readonly number: number
  readonly empty: T
  /** The payloads to write, none for what is empty; numbers are varints. */
  write(value: T): readonly (Buffer | number)[]
  /** The value after one more payload. */
  read(before: T, payload: Buffer | number): T
}

type Fields = Readonly<Record<string, Field<never>>>

/** A message with these fields. */
export type Message<F> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never
}

export const text = (number: number): Field<string> => ({
  ...{ number, empty: '' },
  write: (value) => (value === '' ? [] : [Buffer.from(value)]),
  read: (_, payload) => String(payload),
})

export const bytes = (number: number): Field<Buffer> => ({
  ...{ number, empty: Buffer.alloc(0) },
  write: (value) => (value.length === 0 ? [] : [value]),
  read: (before, payload) => (typeof payload === 'number' ? before : payload),
})

/** Integers of any size, and enumerations; beyond 2^53 the last digits are lost. */
export const integer = (number: number): Field<number> => ({
  ...{ number, empty: 0 },
  write: (value) => (value === 0 ? [] : [value]),
  read: (_, payload) => Number(payload),
})

export const flag = (number: number): Field<boolean> => ({
  ...{ number, empty: false },
  write: (value) => (value ? [1] : []),
  read: (_, payload) => payload !== 0,
})

export const texts = (number: number): Field<readonly string[]> => ({
  ...{ number, empty: [] },
  write: (values) => values.map((value) => Buffer.from(value)),
  read: (before, payload) => [...before, String(payload)],
})

export const integers = (number: number): Field<readonly number[]> => ({
  ...{ number, empty: [] },
  write: (values) => (values.length === 0 ? [] : [Buffer.concat(values.map(varint))]),
  read(before, payload) {
    if (typeof payload === 'number') return [...before, payload]
    const found = [...before]
    for (let at = 0; at < payload.length; ) {
      const [value, next] = readVarint(payload, at)
      found.push(value)
      at = next
    }
    return found
  },
})

/** A message within; undefined if it was not sent. */
export const message = <F>(number: number, fields: F): Field<Partial<Message<F>> | undefined> => ({
  ...{ number, empty: undefined },
  write: (value) => (value === undefined ? [] : [encodeMessage(fields, value)]),
  read: (_, payload) => decodeMessage(fields, payload as Buffer),
})

export const list = <F>(number: number, fields: F): Field<readonly Partial<Message<F>>[]> => ({
  ...{ number, empty: [] },
  write: (values) => values.map((value) => encodeMessage(fields, value)),
  read: (before, payload) => [...before, decodeMessage(fields, payload as Buffer)],
})

const entry = { key: text(1), value: text(2) }

/** Texts by name. */
export const names = (number: number): Field<Readonly<Record<string, string>>> => ({
  ...{ number, empty: {} },
  write: (value) =>
    Object.entries(value).map(([key, one]) => encodeMessage(entry, { key, value: one })),
  read(before, payload) {
    const { key, value } = decodeMessage(entry, payload as Buffer)
    return Object.fromEntries([...Object.entries(before), [key, value]])
  },
})

/** Writes a message. */
export function encodeMessage<F>(fields: F, value: Partial<Message<F>>): Buffer {
  const parts: Buffer[] = []
  for (const [name, field] of Object.entries(fields as Fields)) {
    const own = value[name as keyof F]
    if (own === undefined) continue
    for (const payload of field.write(own as never)) {
      if (typeof payload === 'number') parts.push(varint(field.number * 8), varint(payload))
      else parts.push(varint(field.number * 8 + 2), varint(payload.length), payload)
    }
  }
  return Buffer.concat(parts)
}

/** Reads a message; fields that it does not know are passed over. @throws RangeError for bytes that are none. */
export function decodeMessage<F>(fields: F, bytes: Buffer): Message<F> {
  const known = Object.entries(fields as Fields)
  const found = new Map<string, unknown>(known.map(([name, { empty }]) => [name, empty]))
  const byNumber = new Map(known.map(([name, field]) => [field.number, { name, field }]))
  for (let at = 0; at < bytes.length; ) {
    const [tag, start] = readVarint(bytes, at)
    const [payload, next] = readPayload(bytes, start, tag & 7)
    at = next
    const own = byNumber.get(Math.floor(tag / 8))
    if (own === undefined || payload === undefined) continue
    found.set(own.name, own.field.read(found.get(own.name) as never, payload))
  }
  return Object.fromEntries(found) as Message<F>
}

function readPayload(
  bytes: Buffer,
  at: number,
  wire: number,
): readonly [payload: Buffer | number | undefined, next: number] {
  if (wire === 0) return readVarint(bytes, at)
  if (wire === 1) return [undefined, at + 8]
  if (wire === 5) return [undefined, at + 4]
  if (wire !== 2) throw new RangeError(`field of an unknown sort ${wire} at ${at}`)
  const [length, start] = readVarint(bytes, at)
  if (length < 0 || start + length > bytes.length) throw new RangeError('the message is cut off')
  return [bytes.subarray(start, start + length), start + length]
}

function varint(value: number): Buffer {
  let rest = BigInt.asUintN(64, BigInt(Math.trunc(value)))
  const found: number[] = []
  do {
    const low = Number(rest & 127n)
    rest >>= 7n
    found.push(rest > 0n ? low | 128 : low)
  } while (rest > 0n)
  return Buffer.from(found)
}

function readVarint(bytes: Buffer, from: number): readonly [value: number, next: number] {
  let value = 0n
  for (let at = from; at < from + 10; at++) {
    const byte = bytes[at]
    if (byte === undefined) throw new RangeError('the message is cut off')
    value |= BigInt(byte & 127) << BigInt(7 * (at - from))
    if (byte < 128) return [Number(BigInt.asIntN(64, value)), at + 1]
  }
  throw new RangeError(`a number at ${from} has no end`)
}
