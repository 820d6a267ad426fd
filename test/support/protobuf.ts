import { scheme } from '../../generated/scheme.ts'
import type { ProtobufTables } from '../../runtime/kernel/descriptors/protobuf-tables.ts'
import {
  createProtobufCodec,
  type ProtobufCodec,
} from '../../runtime/serializer/protobuf/protobuf-codec.ts'

/** The tables of the platform's own tree and a codec over them. */
export async function openProtobuf(): Promise<{
  readonly tables: ProtobufTables
  readonly codec: ProtobufCodec
}> {
  const tables = (await scheme.protobuf?.()) as ProtobufTables
  return { tables, codec: createProtobufCodec(tables) }
}

/** One field of a message as the wire has it; a second, independent reading of the format. */
export interface RawField {
  readonly number: number
  readonly wire: number
  /** The integer, or the bytes. */
  readonly value: bigint | Buffer
}

/** The fields of a message in the order they stand, without any table. */
export function rawFields(bytes: Uint8Array): readonly RawField[] {
  const buffer = Buffer.from(bytes)
  const fields: RawField[] = []
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = BigInt(buffer.readUInt8(at++))
      value |= (byte & 127n) << shift
      if (byte < 128n) return value
    }
  }
  const take = (length: number): Buffer => {
    at += length
    return buffer.subarray(at - length, at)
  }
  while (at < buffer.length) {
    const tag = varint()
    const wire = Number(tag & 7n)
    const value = wire === 0 ? varint() : take(wire === 1 ? 8 : wire === 5 ? 4 : Number(varint()))
    fields.push({ number: Number(tag >> 3n), wire, value })
  }
  return fields
}

/** The bytes of the first field with a number. */
export function rawField(bytes: Uint8Array, number: number): Buffer {
  const found = rawFields(bytes).find((field) => field.number === number)
  if (found === undefined || !Buffer.isBuffer(found.value)) throw new Error(`no field ${number}`)
  return found.value
}

/** Bytes written as hexadecimal digits, with spaces where they help. */
export function hex(text: string): Buffer {
  return Buffer.from(text.replace(/\s/g, ''), 'hex')
}
