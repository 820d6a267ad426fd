/** What is no message is refused, with the place; nothing is believed about lengths, and nothing grows without bound. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ProtobufTables } from '../../../../runtime/kernel/descriptors/protobuf-tables.ts'
import { isStatus } from '../../../../runtime/kernel/errors/status-error.ts'
import { createProtobufCodec } from '../../../../runtime/serializer/protobuf/protobuf-codec.ts'
import { everything, objectOf } from '../../../support/full-object.ts'
import { hex, openProtobuf } from '../../../support/protobuf.ts'

const tests = suite('runtime/serializer/protobuf: malformed bytes')
const { tables, codec } = await openProtobuf()

const own: ProtobufTables = {
  messages: {
    't.M': [
      [1, 'text', 'string'],
      [2, 'inner', 't.M', 'tracked'],
      [3, 'number', 'int32', 'tracked'],
      [4, 'when', 'time', 'tracked'],
      [5, 'port', 'int-or-string', 'tracked'],
      [6, 'raw', 'json', 'tracked'],
      [7, 'list', 't.M', 'list'],
      [8, 'map', 'string', 'map'],
      [9, 'double', 'double', 'tracked'],
      [10, 'either', 't.Either', 'tracked'],
    ],
    't.Either': [
      [1, '', 't.M', 'member'],
      [2, '', 't.M', 'member list'],
    ],
  },
  kinds: { 'v1/M': 't.M' },
}
const small = createProtobufCodec(own)

function refusal(bytes: Uint8Array, message = 't.M', of = small): string {
  try {
    of.decodeMessage(message, bytes)
  } catch (error) {
    assert.ok(
      isStatus(error, 'BadRequest') || isStatus(error, 'RequestEntityTooLarge'),
      String(error),
    )
    return (error as Error).message.replace('error decoding Protobuf: ', '')
  }
  return 'read'
}

const cases: readonly (readonly [fact: string, bytes: string, text: string])[] = [
  ['a length beyond the end', '0a 05 61', 'byte 2, text: a length of 5 where 1 bytes are left'],
  [
    'a length beyond the end of what is around it',
    '12 03 0a 05 61 62 63 64 65',
    'byte 4, inner.text: a length of 5 where 1 bytes are left',
  ],
  [
    'a length of 2^32 + 1',
    '0a 81 80 80 80 10 61',
    'byte 6, text: a length or field number of more than 32 bits',
  ],
  [
    'an integer of eleven bytes',
    '18 ff ff ff ff ff ff ff ff ff ff 01',
    'byte 11, number: an integer of more than ten bytes',
  ],
  ['an integer without an end', '18 ff', 'byte 2, number: the message ends inside an integer'],
  ['a field without a number', '00 01', 'byte 1: a field has the number 0'],
  ['an integer where a text should be', '08 01', 'byte 1, text: wire type 0 where 2 is expected'],
  [
    'a text where an integer should be',
    '1a 01 61',
    'byte 1, number: wire type 2 where 0 is expected',
  ],
  [
    'a wire type that does not exist',
    '7e',
    'byte 1: wire type 6 is not one that a field begins with',
  ],
  [
    'the end of a group that did not begin',
    '7c',
    'byte 1: wire type 4 is not one that a field begins with',
  ],
  ['groups that cross', '7b 84 01', 'byte 3: a group ends that did not begin'],
  ['a group without an end', '7b', 'byte 1: the message ends inside an integer'],
  ['text that is not UTF-8', '0a 02 c3 28', 'byte 2, text: the text is not valid UTF-8'],
  ['a surrogate as UTF-8', '0a 03 ed a0 80', 'byte 2, text: the text is not valid UTF-8'],
  ['a double cut short', '49 00 00', 'byte 1, double: the message ends inside a number'],
  ['NaN', '49 00 00 00 00 00 00 f8 7f', 'byte 9, double: a number that JSON cannot hold'],
  [
    'a time of the year 10000',
    '22 07 08 80 83 d1 ff af 07',
    'byte 9, when: a time outside of the years 1 to 9999',
  ],
  [
    'nanoseconds of two seconds',
    '22 08 08 01 10 80 a8 d6 b9 07',
    'byte 10, when: 2000000000 nanoseconds are no part of a second',
  ],
  [
    'an int-or-string that is neither',
    '2a 02 08 02',
    'byte 4, port: 2 is neither an integer (0) nor a string (1)',
  ],
  [
    'JSON that is none',
    '32 03 0a 01 7b',
    'byte 5, raw: error decoding JSON: line 1, column 2: expected a key in quotes or "}", found the end',
  ],
  ['a map entry cut short', '42 03 0a 05 61', 'byte 4, map: a length of 5 where 1 bytes are left'],
]

for (const [fact, bytes, text] of cases) {
  tests(`refused: ${fact}`, () => {
    const found = refusal(hex(bytes))
    if (fact === 'JSON that is none')
      assert.match(found, /^byte 5, raw: error decoding JSON: line 1/)
    else assert.is(found, text)
  })
}

tests('the replacement character itself is text like any other', () => {
  assert.equal(small.decodeMessage('t.M', hex('0a 03 ef bf bd')), { text: '\ufffd' })
})

tests('nesting is bounded', () => {
  let bytes = Buffer.alloc(0)
  for (let depth = 0; depth < 1100; depth++) {
    bytes = Buffer.concat([lengthened(0x12, bytes.length), bytes])
  }
  assert.match(refusal(bytes), /nested more than 1000 levels deep$/)
})

for (const [fact, member] of [
  ['an object', 0x0a],
  ['a list', 0x12],
] as const) {
  tests(`nesting is bounded in unions: ${fact}`, () => {
    let bytes = Buffer.alloc(0)
    for (let depth = 0; depth < 1100; depth++) {
      const union = Buffer.concat([lengthened(member, bytes.length), bytes])
      bytes = Buffer.concat([lengthened(0x52, union.length), union])
    }
    assert.match(refusal(bytes), /nested more than 1000 levels deep$/)
  })
}

tests('the deepest schemas that are read and written fit the stack', () => {
  const props = 'apiextensions/v1.JSONSchemaProps'
  for (const wrap of [
    (inner: object) => ({ additionalProperties: inner }),
    (inner: object) => ({ items: [inner] }),
    (inner: object) => ({ properties: { a: inner } }),
    (inner: object) => ({ not: inner }),
  ]) {
    let value: object = {}
    for (let depth = 0; depth < 490; depth++) value = wrap(value)
    assert.equal(
      JSON.stringify(codec.decodeMessage(props, codec.encodeMessage(props, value))),
      JSON.stringify(value),
    )
    for (let depth = 0; depth < 509; depth++) value = wrap(value)
    const bytes = codec.encodeMessage(props, wrap(wrap(value)))
    assert.match(refusal(bytes, props, codec), /nested more than 1000 levels deep$/)
  }
})

function lengthened(tag: number, length: number): Buffer {
  const bytes = [tag]
  for (let rest = length; ; rest >>>= 7) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest & 127) | 128)
  }
}

tests('a list is bounded, however small its values are', () => {
  const bytes = Buffer.alloc(3 * 1024 * 1024)
  for (let at = 0; at < bytes.length; at += 2) bytes[at] = 0x3a
  assert.match(refusal(bytes), /a list or object of more than 20000 entries$/)
})

tests('zeros that a message stands for count as values', () => {
  const empty = (tag: string) => Buffer.from(`${tag}00`.repeat(19_000), 'hex')
  const lists = Buffer.concat(['12', 'a201', '9202'].map(empty))
  const pod = Buffer.concat([lengthened(0x12, lists.length), lists])
  assert.match(refusal(pod, 'core/v1.Pod', codec), /more than 100000 values$/)
})

tests('the number of keys is bounded', () => {
  const entries = Array.from({ length: 10_001 }, (_, at) => {
    const key = Buffer.from(`k${at}`)
    const entry = Buffer.concat([lengthened(0x0a, key.length), key])
    return Buffer.concat([lengthened(0x42, entry.length), entry])
  })
  assert.match(refusal(Buffer.concat(entries)), /more than 10000 different property names$/)
})

tests('groups that are not known may nest, but not without end', () => {
  assert.match(refusal(Buffer.alloc(10_000, 0x7b)), /groups are nested too deeply$/)
})

const envelopes: readonly (readonly [fact: string, bytes: string, text: RegExp])[] = [
  [
    'JSON',
    Buffer.from('{"kind":"M"}').toString('hex'),
    /does not appear to be a protobuf message, expected prefix \[107 56 115 0\]/,
  ],
  ['nothing but magic', '6b 38 73 00', /no kind "" is registered for version ""/],
  ['no magic at all', '', /does not appear to be a protobuf message/],
  [
    'a kind that is not known',
    '6b 38 73 00 0a 07 0a 02 76 31 12 01 58',
    /no kind "X" is registered for version "v1"/,
  ],
  ['a type beyond the end', '6b 38 73 00 0a 70', /a length of 112 where 0 bytes are left/],
  ['an encoding', '6b 38 73 00 1a 04 67 7a 69 70', /the encoding "gzip" is not known/],
]

for (const [fact, bytes, text] of envelopes) {
  tests(`an envelope is refused: ${fact}`, () => {
    assert.throws(
      () => small.decodeObject(hex(bytes), { kind: '', apiVersion: '' }),
      (error: unknown) => isStatus(error, 'BadRequest') && text.test(error.message),
    )
  })
}

tests('a type that is not given is the one that is expected', () => {
  const bytes = hex('6b 38 73 00 12 03 0a 01 61')
  assert.equal(small.decodeObject(bytes, { kind: 'M', apiVersion: 'v1' }), {
    kind: 'M',
    apiVersion: 'v1',
    text: 'a',
  })
})

tests('an envelope may hold JSON', () => {
  // A2.27
  const json = Buffer.from('{"text":"a"}')
  const bytes = Buffer.concat([
    hex('6b 38 73 00 0a 07 0a 02 76 31 12 01 4d'),
    lengthened(0x12, json.length),
    json,
    lengthened(0x22, 16),
    Buffer.from('application/json'),
  ])
  const expected = { text: 'a', kind: 'M', apiVersion: 'v1' }
  assert.equal(small.decodeObject(bytes, { kind: '', apiVersion: '' }), expected)
})

tests('whatever the bytes are, they are read or refused', () => {
  const pod = Buffer.from(
    codec.encodeMessage('core/v1.Pod', objectOf(tables, 'core/v1.Pod', everything)),
  )
  const change = fc.tuple(fc.nat({ max: pod.length - 1 }), fc.nat({ max: 255 }))
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), fc.nat(), (changes, cut) => {
      const bytes = Buffer.from(pod.subarray(0, cut % 3 === 0 ? cut % pod.length : pod.length))
      for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte
      refusal(bytes, 'core/v1.Pod', codec)
    }),
    { numRuns: 300 },
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      refusal(bytes, 'core/v1.Pod', codec)
    }),
    { numRuns: 300 },
  )
})

tests.run()
