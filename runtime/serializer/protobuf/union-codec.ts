import { isObject, type Json } from '../../kernel/values/json.ts'
import type { ValueCodec } from './value-codec.ts'
import type { WireWriter } from './wire-writer.ts'

/** A member of a union: a field of its message, and the form of its values in JSON. */
export interface UnionMember {
  /** The number times 8, plus the wire type. */
  readonly tag: number
  /** Of the value, or of the items of a list. */
  readonly codec: ValueCodec
  readonly form: 'boolean' | 'object' | 'list'
}

/**
 * The codec of a union: a value in JSON, a message with a field for each member on the wire. A boolean is always on the wire,
 * and true beside another member. Of several members that are read, a list with items counts, then an object, then a boolean;
 * without any the value is null. A union and its member are
 * two levels, and each is read by few calls, so that the deepest message fits the stack.
 */
export function unionCodec(membersOf: () => readonly UnionMember[]): ValueCodec {
  let members: readonly UnionMember[] | undefined
  const codec: ValueCodec = {
    wire: 2,
    zero: null,
    write(out, value) {
      members ??= membersOf()
      const before = out.size
      for (let index = members.length - 1; index >= 0; index--) {
        writeMember(out, members[index] as UnionMember, value)
      }
      out.varint(out.size - before)
    },
    writeZero: (out) => codec.write(out, null),
    read(input, depth) {
      members ??= membersOf()
      const { end } = input
      input.end = input.limit()
      const list: Json[] = []
      let object: Json = null
      let flag: Json = members.some(({ form }) => form === 'boolean') ? false : null
      while (input.at < input.end) {
        const tag = input.tag()
        const member = members.find((one) => one.tag === tag)
        if (member === undefined) {
          input.skip(tag)
          continue
        }
        const value = member.codec.read(input, depth + 2)
        if (member.form === 'object') object = value
        else if (member.form === 'boolean') flag = value
        else {
          input.count(1)
          input.append(list, value)
        }
      }
      input.end = end
      return list.length > 0 ? list : (object ?? flag)
    },
  }
  return codec
}

function writeMember(out: WireWriter, { tag, codec, form }: UnionMember, value: unknown): void {
  if (form === 'boolean') {
    codec.write(out, typeof value === 'boolean' ? value : value !== null)
    out.varint(tag)
  } else if (form === 'list') {
    for (const item of Array.isArray(value) ? value.toReversed() : []) {
      if (item === null) codec.writeZero(out)
      else codec.write(out, item)
      out.varint(tag)
    }
  } else if (isObject(value)) {
    codec.write(out, value)
    out.varint(tag)
  }
}
