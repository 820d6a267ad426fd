import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import type {
  MessageType,
  ProtobufTables,
} from '../../../../runtime/kernel/descriptors/protobuf-tables.ts'
import { apiVersionOf } from '../../../../runtime/kernel/meta/object.ts'
import { createProtobufCodec } from '../../../../runtime/serializer/protobuf/protobuf-codec.ts'
import {
  decodeJson,
  decodeYaml,
  encodeJson,
  readObject,
} from '../../../../runtime/serializer/serializer.ts'
import { everything, type Filling, objectOf } from '../../../support/full-object.ts'
import { hex, openProtobuf, rawField, rawFields } from '../../../support/protobuf.ts'
import { componentSchemas, type Schema } from '../../../support/schemas.ts'

const tests = suite('runtime/serializer/protobuf')
const { tables, codec } = await openProtobuf()
const kinds = Object.values(scheme.routes).filter(({ proto }) => proto !== undefined)
/** Without unions, which are values of fields only. */
const messages = Object.keys(tables.messages).filter(
  (name) => !tables.messages[name]?.[0]?.[3]?.startsWith('member'),
)

tests('every kind of the scheme has a message', () => {
  assert.equal(
    Object.values(scheme.routes).filter(({ proto }) => proto === undefined),
    [],
  )
})

tests('an object is an envelope of magic bytes, type, bytes and two empty strings', () => {
  // A2.23 A2.24 A2.25 A2.26 A2.27 A2.28
  const type = { apiVersion: 'v1', kind: 'ConfigMap' }
  const bytes = codec.encodeObject(type, 'core/v1.ConfigMap', { metadata: { name: 'a' } })
  assert.equal(Buffer.from(bytes.subarray(0, 4)), hex('6b 38 73 00'))
  const envelope = bytes.subarray(4)
  assert.equal(
    rawFields(envelope).map(({ number }) => number),
    [1, 2, 3, 4],
  )
  assert.equal(
    rawFields(rawField(envelope, 1)).map(({ value }) => String(value)),
    ['v1', 'ConfigMap'],
  )
  assert.equal(rawFields(rawField(rawField(envelope, 2), 1))[0]?.value.toString(), 'a')
  assert.is(rawField(envelope, 3).length + rawField(envelope, 4).length, 0)
})

const vectors: readonly (readonly [
  fact: string,
  type: MessageType,
  value: unknown,
  bytes: string,
])[] = [
  ['text', 'string', 'a\u00e9', '0a 03 61 c3 a9'],
  ['an integer of seven bits', 'int32', 127, '08 7f'],
  ['an integer of eight bits', 'int32', 128, '08 80 01'],
  ['a negative integer takes ten bytes', 'int32', -1, '08 ff ff ff ff ff ff ff ff ff 01'],
  ['the largest of 64 bits', 'int64', 2n ** 63n - 1n, '08 ff ff ff ff ff ff ff ff 7f'],
  ['the smallest of 64 bits', 'int64', -(2n ** 63n), '08 80 80 80 80 80 80 80 80 80 01'],
  ['2^53 - 1', 'int64', 2 ** 53 - 1, '08 ff ff ff ff ff ff ff 0f'],
  ['true', 'bool', true, '08 01'],
  ['a double', 'double', 1.5, '09 00 00 00 00 00 00 f8 3f'],
  ['bytes are base64 in JSON', 'bytes', 'AAH/', '0a 03 00 01 ff'],
  ['empty bytes are there', 'bytes', '', '0a 00'],
  ['a time has nanoseconds, always zero', 'time', '1970-01-01T00:00:01Z', '0a 04 08 01 10 00'],
  [
    'a time before 1970',
    'time',
    '1969-12-31T23:59:59Z',
    '0a 0d 08 ff ff ff ff ff ff ff ff ff 01 10 00',
  ],
  ['microseconds', 'micro-time', '1970-01-01T00:00:01.000002Z', '0a 05 08 01 10 d0 0f'],
  ['a length of time in nanoseconds', 'duration', '1.5s', '0a 06 08 80 de a0 cb 05'],
  ['a quantity is its text', 'quantity', '1536Mi', '0a 08 0a 06 31 35 33 36 4d 69'],
  ['an integer or string', 'int-or-string', 80, '0a 06 08 00 10 50 1a 00'],
  [
    'a string, with the integer that is not meant',
    'int-or-string',
    'a',
    '0a 07 08 01 10 00 1a 01 61',
  ],
  [
    'JSON is its text',
    'json',
    { b: 1, a: [] },
    '0a 10 0a 0e 7b 22 62 22 3a 31 2c 22 61 22 3a 5b 5d 7d',
  ],
  ['strings that are a message', 'strings', ['a', ''], '0a 05 0a 01 61 0a 00'],
]

for (const [fact, type, value, bytes] of vectors) {
  tests(`scalars: ${fact}`, () => {
    // M-11 M-14 M-15 M-16 M-18
    const own = createProtobufCodec(single(type, 'tracked'))
    assert.is(
      Buffer.from(own.encodeMessage('t.M', { f: value })).toString('hex'),
      hex(bytes).toString('hex'),
    )
    assert.equal(own.decodeMessage('t.M', hex(bytes)), { f: value })
  })
}

function single(type: MessageType, shape?: 'tracked' | 'kept' | 'list' | 'map'): ProtobufTables {
  return {
    messages: { 't.M': [shape === undefined ? [1, 'f', type] : [1, 'f', type, shape]] },
    kinds: {},
  }
}

const zeros: readonly (readonly [type: MessageType, bytes: string, kept: unknown])[] = [
  ['string', '0a 00', ''],
  ['int32', '08 00', 0],
  ['int64', '08 00', 0],
  ['bool', '08 00', false],
  ['bytes', '', null],
  ['time', '0a 00', null],
  ['micro-time', '0a 00', null],
  ['duration', '0a 02 08 00', '0s'],
  ['quantity', '0a 03 0a 01 30', '0'],
  ['int-or-string', '0a 06 08 00 10 00 1a 00', 0],
  ['json', '0a 00', null],
]

for (const [type, bytes, kept] of zeros) {
  tests(`the zero of a ${type} is on the wire unless absence is tracked`, () => {
    // M-11 M-14
    const of = (shape?: 'tracked' | 'kept') => createProtobufCodec(single(type, shape))
    for (const shape of [undefined, 'kept'] as const) {
      assert.is(
        Buffer.from(of(shape).encodeMessage('t.M', {})).toString('hex'),
        hex(bytes).toString('hex'),
      )
    }
    assert.is(of('tracked').encodeMessage('t.M', {}).length, 0)
    assert.equal(of('kept').decodeMessage('t.M', hex(bytes)), { f: kept })
    assert.equal(of('kept').decodeMessage('t.M', hex('')), { f: kept })
    assert.equal(of().decodeMessage('t.M', hex('')), {})
  })
}

tests(
  'an empty object of every kind is the zeros of all that is no pointer, in ascending order',
  () => {
    // M-11: read here without tables
    for (const kind of kinds) {
      const bytes = codec.encodeMessage(kind.proto as string, {})
      checkZeros(kind.proto as string, bytes)
    }
  },
)

function checkZeros(message: string, bytes: Uint8Array): void {
  const fields = tables.messages[message] ?? []
  const present = rawFields(bytes)
  const numbers = present.map(({ number }) => number)
  assert.equal(
    numbers,
    [...numbers].sort((a, b) => a - b),
    message,
  )
  for (const [number, name, type, shape] of fields) {
    const found = present.filter((field) => field.number === number)
    const always =
      (shape === undefined || shape === 'kept' || shape === 'inline') && type !== 'bytes'
    assert.is(found.length, always ? 1 : 0, `${message}.${name}`)
    if (always && Object.hasOwn(tables.messages, type)) checkZeros(type, found[0]?.value as Buffer)
  }
}

tests('a full message of every sort survives the way there and back', () => {
  for (const message of messages) {
    const value = objectOf(tables, message, everything)
    const bytes = codec.encodeMessage(message, value)
    assert.equal(codec.decodeMessage(message, bytes), value, message)
    assert.is(
      Buffer.compare(codec.encodeMessage(message, codec.decodeMessage(message, bytes)), bytes),
      0,
    )
  }
})

/** Objects with whatever fast-check chooses to be there. */
function arbitrary(message: string): fc.Arbitrary<Record<string, unknown>> {
  const moments = { min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') }
  return fc.gen().map((gen) => {
    const date = () => gen(fc.date, { ...moments, noInvalidDate: true }).toISOString()
    const filling: Filling = {
      has: () => gen(fc.boolean),
      count: () => gen(fc.integer, { min: 0, max: 2 }),
      scalar(type) {
        switch (type) {
          case 'string':
            return gen(fc.string, { unit: 'grapheme', maxLength: 60 })
          case 'bool':
            return gen(fc.boolean)
          case 'int32':
            return gen(fc.integer)
          case 'int64':
            return gen(fc.maxSafeInteger)
          case 'double':
            return gen(fc.double, { noNaN: true, noDefaultInfinity: true }) + 0
          case 'bytes':
            return Buffer.from(gen(fc.uint8Array, { maxLength: 20 })).toString('base64')
          case 'time':
            return `${date().slice(0, 19)}Z`
          case 'micro-time':
            return `${date().slice(0, 23)}000Z`
          case 'int-or-string':
            return gen(fc.boolean) ? gen(fc.integer) : gen(fc.string)
          default:
            return everything.scalar(type, '')
        }
      },
    }
    return objectOf(tables, message, filling)
  })
}

for (const kind of kinds) {
  const type = { apiVersion: apiVersionOf(kind), kind: kind.kind }
  const message = kind.proto as string

  tests(`${kind.kind}: JSON, YAML and protobuf carry the same object`, async () => {
    // A1.6 A4.47 A9.2
    await fc.assert(
      fc.asyncProperty(arbitrary(message), async (given) => {
        const bytes = codec.encodeObject(type, message, given)
        const decoded = codec.decodeObject(bytes, { apiVersion: '', kind: '' })
        assert.equal(codec.encodeObject(type, message, decoded), bytes)
        const fromProtobuf = encodeJson(readObject(kind, decoded).object)
        const json = JSON.stringify(given)
        const fromJson = encodeJson(readObject(kind, decodeJson(json).value).object)
        assert.is(Buffer.from(fromProtobuf).toString(), Buffer.from(fromJson).toString())
        const fromYaml = encodeJson(readObject(kind, (await decodeYaml(json)).value).object)
        assert.is(Buffer.compare(fromYaml, fromJson), 0)
      }),
      { numRuns: 15 },
    )
  })
}

tests('map entries stand in the order of their keys as bytes', () => {
  // M-11: U+FF61 comes before U+1F600 in UTF-8, after it in UTF-16
  const own = createProtobufCodec(single('string', 'map'))
  const bytes = own.encodeMessage('t.M', { f: { '\u{1f600}': 'x', b: 'x', '\uff61': 'x', a: 'x' } })
  const keys = rawFields(bytes).map(({ value }) => String(rawField(value as Buffer, 1)))
  assert.equal(keys, ['a', 'b', '\uff61', '\u{1f600}'])
})

tests('a key named __proto__ is a key like any other', () => {
  const own = createProtobufCodec(single('string', 'map'))
  const given = { f: JSON.parse('{"__proto__":"x"}') as object }
  const read = own.decodeMessage('t.M', own.encodeMessage('t.M', given))
  assert.is(JSON.stringify(read), '{"f":{"__proto__":"x"}}')
  assert.is(Object.getPrototypeOf(read.f), Object.prototype)
})

tests('fields that are not known are passed over, whatever their wire type', () => {
  // A9.2 F-07
  const own = createProtobufCodec(single('string', 'tracked'))
  const unknown = '10 ff 01  19 01 02 03 04 05 06 07 08  22 02 61 62  2b 30 01 2c  35 01 02 03 04'
  assert.equal(own.decodeMessage('t.M', hex(`${unknown} 0a 01 61 ${unknown}`)), { f: 'a' })
})

tests('numbers of a list are read one by one and in one piece', () => {
  const own = createProtobufCodec(single('int32', 'list'))
  assert.equal(own.decodeMessage('t.M', hex('08 01 0a 02 02 03 08 04')), { f: [1, 2, 3, 4] })
})

tests('a message that comes in two pieces is one; of two scalars the last one counts', () => {
  const own = createProtobufCodec({
    messages: {
      't.M': [[1, 'm', 't.N', 'tracked']],
      't.N': [
        [1, 'a', 'string'],
        [2, 'b', 'string'],
      ],
    },
    kinds: {},
  })
  assert.equal(own.decodeMessage('t.M', hex('0a 03 0a 01 61  0a 06 12 01 62 0a 01 63')), {
    m: { a: 'c', b: 'b' },
  })
})

tests(
  'an absent value that has a default is absent, and not zero, so that the default is taken',
  () => {
    const read = (message: string, value: object) =>
      codec.decodeMessage(message, codec.encodeMessage(message, value))
    const parameters = { apiGroup: 'example.com', kind: 'K', name: 'a' }
    assert.equal(read('networking/v1.IngressClassParametersReference', parameters), parameters)
    assert.equal(read('core/v1.GRPCAction', { port: 1 }), { port: 1 })
    assert.equal(read('flowcontrol/v1.QueuingConfiguration', {}), {})
  },
)

tests('no field with a default is read as zero where it is absent', async () => {
  let fields = 0
  for (const [name, { properties = {}, required = [] }] of Object.entries(
    await componentSchemas(),
  )) {
    const [, group, version, kind] = /([a-z0-9]+)\.(v[0-9a-z]+)\.(\w+)$/.exec(name) ?? []
    for (const [field, schema] of Object.entries(properties as Readonly<Record<string, Schema>>)) {
      if (!schema.default || typeof schema.default === 'object') continue
      if ((required as string[]).includes(field)) continue
      const row = tables.messages[`${group}/${version}.${kind}`]?.find(([, own]) => own === field)
      if (row === undefined) continue
      fields++
      assert.is.not(row[3], 'kept', `${name} ${field}`)
    }
  }
  assert.ok(fields > 50)
})

tests.run()
