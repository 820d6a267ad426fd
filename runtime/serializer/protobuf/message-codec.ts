import { define } from '../../kernel/validation/readers.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { FieldDescriptor, MessageDescriptor } from './descriptors.ts'
import { eachField } from './nested.ts'
import type { MessageCodec, Target } from './value-codec.ts'
import { MalformedProtobuf, type WireReader } from './wire-reader.ts'
import type { WireWriter } from './wire-writer.ts'

type Values = Readonly<Record<string, unknown>>

const nothing: Values = Object.freeze({})

/** The form of a message; its plan is looked up when it is first needed, for messages may hold each other. */
export function messageCodec(planOf: () => MessageDescriptor): MessageCodec {
  let plan: MessageDescriptor | undefined
  const form: MessageCodec = {
    wire: 2,
    get zero() {
      return form.complete({})
    },
    write(out, value) {
      plan ??= planOf()
      const before = out.size
      writeMessage(out, plan, value as Values)
      out.varint(out.size - before)
    },
    writeZero: (out) => form.write(out, nothing),
    read: (input, depth) => form.readInto(input, depth, {}),
    readInto(input, depth, target) {
      plan ??= planOf()
      const { end } = input
      input.end = input.limit()
      readMessage(input, plan, depth, target)
      input.end = end
      return target
    },
    complete(target) {
      plan ??= planOf()
      return complete(target, plan)
    },
  }
  return form
}

/** Writes the fields of a message, the last one first. */
export function writeMessage(out: WireWriter, { fields }: MessageDescriptor, values: Values): void {
  for (let index = fields.length - 1; index >= 0; index--) {
    const field = fields[index] as FieldDescriptor
    if (field.cardinality === 'inline') {
      field.codec.write(out, values)
      out.varint(field.tag)
    } else writeField(out, field, values[field.name])
  }
}

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

function writeList(
  out: WireWriter,
  { codec: form, tag }: FieldDescriptor,
  items: readonly unknown[],
): void {
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index]
    if (item === null) form.writeZero(out)
    else form.write(out, item)
    out.varint(tag)
  }
}

const keyTag = 0x0a

/** Each entry is a message of a key, field 1, and a value, field 2. Entries are in the order of their keys' bytes. */
function writeMap(out: WireWriter, { codec: form, tag }: FieldDescriptor, map: Values): void {
  const keys = sorted(Object.keys(map))
  for (let index = keys.length - 1; index >= 0; index--) {
    const key = keys[index] as string
    const value = map[key]
    const before = out.size
    if (value !== null || form.nullable !== true) {
      if (value === null) form.writeZero(out)
      else form.write(out, value)
      out.byte(0x10 | form.wire)
    }
    out.text(key)
    out.byte(keyTag)
    out.varint(out.size - before)
    out.varint(tag)
  }
}

/** By bytes of UTF-8, which is by code points: the order of UTF-16 differs above the surrogates. */
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
 * Reads the fields of a message up to the reader's end into `target`, and fills in the zeros that JSON has. Of a value
 * that stands twice the last one wins; a message that stands twice is one, as the format demands.
 */
export function readMessage(
  input: WireReader,
  plan: MessageDescriptor,
  depth: number,
  target: Target,
): JsonObject {
  const { depth: deepest } = input.limits
  if (depth > deepest) input.fail(`nested more than ${deepest} levels deep`)
  input.count(plan.weight)
  let field: FieldDescriptor | undefined
  try {
    while (input.at < input.end) {
      field = undefined
      const tag = input.tag()
      field = plan.byNumber[tag >>> 3]
      if (field === undefined) input.skip(tag)
      else readField(input, field, tag, depth, target)
    }
  } catch (error) {
    if (error instanceof MalformedProtobuf && field !== undefined) throw error.inside(field.name)
    throw error
  }
  return complete(target, plan)
}

function complete(target: Target, { kept }: MessageDescriptor): JsonObject {
  for (let index = 0; index < kept.length; index++) {
    const { name, codec: form, cardinality: sort, message } = kept[index] as FieldDescriptor
    if (sort === 'inline') message?.complete(target)
    else if (target[name] === undefined) target[name] = sort === 'one' ? form.zero : null
  }
  return target
}

function readField(
  input: WireReader,
  field: FieldDescriptor,
  tag: number,
  depth: number,
  target: Target,
): void {
  const { name, codec: form, cardinality: sort, message } = field
  input.count(1)
  if (tag !== field.tag) readPacked(input, field, tag, target)
  else if (sort === 'list') input.append(listIn(target, name), form.read(input, depth + 1))
  else if (sort === 'map') readEntry(input, field, depth, target)
  else if (message === undefined) setValue(target, field, form.read(input, depth))
  else if (sort === 'inline') message.readInto(input, depth + 1, target)
  else target[name] = message.readInto(input, depth + 1, objectIn(target, name))
}

function setValue(
  target: Target,
  { name, codec: form, omitZero: silent }: FieldDescriptor,
  value: Json,
): void {
  if (!silent || value !== form.zero) target[name] = value
  else if (target[name] !== undefined) delete target[name]
}

/** Numbers of a list may also come in one piece, without a tag for each. */
function readPacked(
  input: WireReader,
  { name, codec: form, cardinality: sort, tag: own }: FieldDescriptor,
  tag: number,
  target: Target,
): void {
  if (sort !== 'list' || form.wire === 2 || (tag & 7) !== 2) {
    input.fail(`wire type ${tag & 7} where ${own & 7} is expected`)
  }
  const { end } = input
  const list = listIn(target, name)
  input.end = input.limit()
  while (input.at < input.end) {
    input.count(1)
    input.append(list, form.read(input, 0))
  }
  input.end = end
}

function readEntry(
  input: WireReader,
  { name, codec: form }: FieldDescriptor,
  depth: number,
  target: Target,
): void {
  let key = ''
  let value: Json | undefined
  input.countKey()
  eachField(input, (tag) => {
    if (tag === keyTag) key = input.text()
    else if (tag === (0x10 | form.wire)) value = form.read(input, depth + 1)
    else return false
    return true
  })
  define(objectIn(target, name), key, value ?? form.entryZero ?? form.zero)
}

function listIn(target: Target, name: string): Json[] {
  const known = target[name]
  if (Array.isArray(known)) return known as Json[]
  const list: Json[] = []
  target[name] = list
  return list
}

function objectIn(target: Target, name: string): Target {
  const known = target[name]
  if (known !== undefined && isObject(known)) return known as Target
  const object: Target = {}
  target[name] = object
  return object
}
