import { define } from '../../kernel/values/define-property.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { FieldDescriptor, MessageDescriptor } from './message-descriptor.ts'
import { eachField } from './nested.ts'
import type { MessageCodec, Target } from './value-codec.ts'
import { MalformedProtobuf, type WireReader } from './wire-reader.ts'
import type { WireWriter } from './wire-writer.ts'

type Values = Readonly<Record<string, unknown>>

/** An object without fields: what the zero of a message is made of. */
const nothing: Values = Object.freeze({})

/** The codec of a message with fields. Its descriptor is looked up at the first use, since messages may hold each other. */
export function messageCodec(descriptorOf: () => MessageDescriptor): MessageCodec {
  let descriptor: MessageDescriptor | undefined
  const codec: MessageCodec = {
    wire: 2,
    get zero() {
      return codec.complete({})
    },
    write(out, value) {
      descriptor ??= descriptorOf()
      const before = out.size
      writeMessage(out, descriptor, value as Values)
      out.varint(out.size - before)
    },
    writeZero: (out) => codec.write(out, nothing),
    read: (input, depth) => codec.readInto(input, depth, {}),
    readInto(input, depth, target) {
      descriptor ??= descriptorOf()
      const { end } = input
      input.end = input.limit()
      readMessage(input, descriptor, depth, target)
      input.end = end
      return target
    },
    complete(target) {
      descriptor ??= descriptorOf()
      return complete(target, descriptor)
    },
  }
  return codec
}

/** Writes the fields of a message backwards, the last one first, without a length. `null` counts as absent. */
export function writeMessage(out: WireWriter, { fields }: MessageDescriptor, values: Values): void {
  for (let index = fields.length - 1; index >= 0; index--) {
    const field = fields[index] as FieldDescriptor
    if (field.cardinality === 'inline') {
      field.codec.write(out, values)
      out.varint(field.tag)
    } else writeField(out, field, values[field.name])
  }
}

/** A value that is there is written, also if it is zero: only the schema says whether a zero is absent. */
function writeField(out: WireWriter, field: FieldDescriptor, value: unknown): void {
  if (value === undefined || value === null) {
    if (!field.always) return
    field.codec.writeZero(out)
    out.varint(field.tag)
  } else if (field.cardinality === 'one') {
    field.codec.write(out, value)
    out.varint(field.tag)
  } else if (field.cardinality === 'list') writeList(out, field, value as readonly unknown[])
  else writeMap(out, field, value as Values)
}

/** Items are written backwards, each with the tag of the field. A null item is a zero. */
function writeList(
  out: WireWriter,
  { codec, tag }: FieldDescriptor,
  items: readonly unknown[],
): void {
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index]
    if (item === null) codec.writeZero(out)
    else codec.write(out, item)
    out.varint(tag)
  }
}

/** Field 1, length-delimited. */
const keyTag = 0x0a

/** Each entry is a message: the key is field 1, the value field 2. Entries are sorted by the bytes of their keys. */
function writeMap(out: WireWriter, { codec, tag }: FieldDescriptor, map: Values): void {
  const keys = sorted(Object.keys(map))
  for (let index = keys.length - 1; index >= 0; index--) {
    const key = keys[index] as string
    const value = map[key]
    const before = out.size
    if (value !== null || codec.nullable !== true) {
      if (value === null) codec.writeZero(out)
      else codec.write(out, value)
      out.byte(0x10 | codec.wire)
    }
    out.text(key)
    out.byte(keyTag)
    out.varint(out.size - before)
    out.varint(tag)
  }
}

/** Sorts by UTF-8. JavaScript sorts by UTF-16, which differs only for characters from U+D800 on. */
function sorted(keys: string[]): string[] {
  let [ordered, plain] = [true, true]
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string
    if (index > 0 && (keys[index - 1] as string) > key) ordered = false
    if (/[\ud800-\uffff]/.test(key)) plain = false
  }
  if (ordered && plain) return keys
  return plain ? keys.sort() : keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
}

/**
 * Reads the fields of a message up to the reader's end into `target`, and fills in the fields that JSON always has. As the
 * format demands, of a value that stands twice the last one counts, and two parts of one message are merged.
 */
export function readMessage(
  input: WireReader,
  descriptor: MessageDescriptor,
  depth: number,
  target: Target,
): JsonObject {
  const { depth: deepest } = input.limits
  if (depth > deepest) input.fail(`nested more than ${deepest} levels deep`)
  input.count(descriptor.weight)
  let field: FieldDescriptor | undefined
  try {
    while (input.at < input.end) {
      field = undefined
      const tag = input.tag()
      field = descriptor.byNumber[tag >>> 3]
      if (field === undefined) input.skip(tag)
      else readField(input, field, tag, depth, target)
    }
  } catch (error) {
    if (error instanceof MalformedProtobuf && field !== undefined) throw error.inside(field.name)
    throw error
  }
  return complete(target, descriptor)
}

/** A list or map that must be in JSON is null if it is empty. */
function complete(target: Target, { kept }: MessageDescriptor): JsonObject {
  for (let index = 0; index < kept.length; index++) {
    const { name, codec, cardinality, message } = kept[index] as FieldDescriptor
    if (cardinality === 'inline') message?.complete(target)
    else if (target[name] === undefined) target[name] = cardinality === 'one' ? codec.zero : null
  }
  return target
}

/** Reads one value by the cardinality of its field; another wire type than the field's may be a packed list. */
function readField(
  input: WireReader,
  field: FieldDescriptor,
  tag: number,
  depth: number,
  target: Target,
): void {
  const { name, codec, cardinality, message } = field
  input.count(1)
  if (tag !== field.tag) readPacked(input, field, tag, target)
  else if (cardinality === 'list') input.append(listIn(target, name), codec.read(input, depth + 1))
  else if (cardinality === 'map') readEntry(input, field, depth, target)
  else if (message === undefined) setValue(target, field, codec.read(input, depth))
  else if (cardinality === 'inline') message.readInto(input, depth + 1, target)
  else target[name] = message.readInto(input, depth + 1, objectIn(target, name))
}

/** A zero is absent where JSON leaves it out, and removes what an earlier value of the same field set. */
function setValue(target: Target, { name, codec, omitZero }: FieldDescriptor, value: Json): void {
  if (!omitZero || value !== codec.zero) target[name] = value
  else if (target[name] !== undefined) delete target[name]
}

/** Numbers of a list may come packed: one tag and length for all of them. Any other wire type is an error. */
function readPacked(
  input: WireReader,
  { name, codec, cardinality, tag: own }: FieldDescriptor,
  tag: number,
  target: Target,
): void {
  if (cardinality !== 'list' || codec.wire === 2 || (tag & 7) !== 2) {
    input.fail(`wire type ${tag & 7} where ${own & 7} is expected`)
  }
  const { end } = input
  const list = listIn(target, name)
  input.end = input.limit()
  while (input.at < input.end) {
    input.count(1)
    input.append(list, codec.read(input, 0))
  }
  input.end = end
}

/** An entry without a key has the empty one, and without a value the zero of the type. It and its value are two levels. */
function readEntry(
  input: WireReader,
  { name, codec }: FieldDescriptor,
  depth: number,
  target: Target,
): void {
  let key = ''
  let value: Json | undefined
  input.countKey()
  eachField(input, (tag) => {
    if (tag === keyTag) key = input.text()
    else if (tag === (0x10 | codec.wire)) value = codec.read(input, depth + 2)
    else return false
    return true
  })
  define(objectIn(target, name), key, value ?? codec.entryZero ?? codec.zero)
}

/** The list that a property holds already, or a new one. */
function listIn(target: Target, name: string): Json[] {
  const known = target[name]
  if (Array.isArray(known)) return known as Json[]
  const list: Json[] = []
  target[name] = list
  return list
}

/** The object that a property holds already, or a new one. */
function objectIn(target: Target, name: string): Target {
  const known = target[name]
  if (known !== undefined && isObject(known)) return known as Target
  const object: Target = {}
  target[name] = object
  return object
}
