/** Codecs of types that are one value in JSON and a small message in protobuf: Quantity, Duration, IntOrString, JSON, lists. */

import { isStatus } from '../../kernel/errors/status-error.ts'
import { parseNanoseconds, printNanoseconds } from '../../kernel/values/duration.ts'
import type { Json } from '../../kernel/values/json.ts'
import { decodeJson } from '../json/decode-json.ts'
import { encodeJson } from '../json/encode-json.ts'
import { eachField, nested } from './nested.ts'
import { timestamps } from './timestamps.ts'
import type { ValueCodec } from './value-codec.ts'
import type { WireReader } from './wire-reader.ts'
import type { WireWriter } from './wire-writer.ts'

/** Tags of the fields of these messages, by number and wire type. */
const first = { integer: 0x08, bytes: 0x0a } as const
const second = { integer: 0x10 } as const
const third = { bytes: 0x1a } as const

/** Field 1 is the canonical text. */
const quantity: ValueCodec = {
  wire: 2,
  zero: '0',
  write: (out, value) => textMessage(out, value as string),
  writeZero: (out) => textMessage(out, '0'),
  read(input) {
    let text = '0'
    eachField(input, (tag) => {
      if (tag !== first.bytes) return false
      text = input.text()
      return true
    })
    return text
  },
}

/** A message whose field 1 is a text. */
function textMessage(out: WireWriter, text: string): void {
  nested(out, () => {
    out.text(text)
    out.byte(first.bytes)
  })
}

/** Field 1 is the number of nanoseconds. */
const duration: ValueCodec = {
  wire: 2,
  zero: '0s',
  write: (out, value) => durationMessage(out, parseNanoseconds(value as string) ?? 0n),
  writeZero: (out) => durationMessage(out, 0n),
  read(input) {
    let value: number | bigint = 0
    eachField(input, (tag) => {
      if (tag !== first.integer) return false
      value = input.int64()
      return true
    })
    return printNanoseconds(BigInt(value))
  },
}

/** A message whose field 1 is a number, zero included. */
function durationMessage(out: WireWriter, value: bigint): void {
  nested(out, () => {
    out.signed(value)
    out.byte(first.integer)
  })
}

/** Field 1 is 0 for an integer and 1 for a string; fields 2 and 3 are both values, the one that is not meant zero. */
const intOrString: ValueCodec = {
  wire: 2,
  zero: 0,
  write(out, value) {
    nested(out, () => {
      out.text(typeof value === 'string' ? value : '')
      out.byte(third.bytes)
      out.signed(typeof value === 'number' ? value : 0)
      out.byte(second.integer)
      out.byte(typeof value === 'string' ? 1 : 0)
      out.byte(first.integer)
    })
  },
  writeZero: (out) => intOrString.write(out, 0),
  read(input) {
    let [type, number, text]: [number | bigint, number, string] = [0, 0, '']
    eachField(input, (tag) => {
      if (tag === first.integer) type = input.int64()
      else if (tag === second.integer) number = input.int32()
      else if (tag === third.bytes) text = input.text()
      else return false
      return true
    })
    if (type !== 0 && type !== 1) input.fail(`${type} is neither an integer (0) nor a string (1)`)
    return type === 0 ? number : text
  },
}

/** Field 1 is any JSON value as JSON text; null is an empty message. */
const json: ValueCodec = {
  wire: 2,
  zero: null,
  write(out, value) {
    nested(out, () => {
      const text = encodeJson(value)
      out.raw(text)
      out.varint(text.length)
      out.byte(first.bytes)
    })
  },
  writeZero: (out) => out.byte(0),
  read(input) {
    let value: Json = null
    eachField(input, (tag) => {
      if (tag !== first.bytes) return false
      value = jsonOf(input)
      return true
    })
    return value
  },
}

/** The limits of the body count for JSON inside it as well. A text that cannot be read is an error at its offset. */
function jsonOf(input: WireReader): Json {
  const text = input.slice()
  if (text.length === 0) return null
  try {
    return decodeJson(text, input.limits).value
  } catch (error) {
    if (isStatus(error, 'BadRequest')) input.fail(error.message)
    throw error
  }
}

/** Field 1 is repeated: a list of strings that is a message of its own. */
const strings: ValueCodec = {
  wire: 2,
  zero: null,
  write(out, value) {
    const list = value as readonly string[]
    nested(out, () => {
      for (let index = list.length - 1; index >= 0; index--) {
        out.text(list[index] as string)
        out.byte(first.bytes)
      }
    })
  },
  writeZero: (out) => out.byte(0),
  read(input) {
    const list: string[] = []
    eachField(input, (tag) => {
      if (tag !== first.bytes) return false
      input.count(1)
      input.append(list, input.text())
      return true
    })
    return list
  },
}

/** The codecs by the names that the tables use. */
export const wellKnownTypes = {
  ...timestamps,
  quantity,
  duration,
  'int-or-string': intOrString,
  json,
  strings,
} as const
