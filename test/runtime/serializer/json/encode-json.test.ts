import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  createJsonSerializer,
  encodeJson,
  parseTrustedJson,
} from '../../../../runtime/serializer/serializer.ts'

const json = suite('runtime/serializer: printing JSON')

const printed = (value: unknown): string => Buffer.from(encodeJson(value)).toString()

json('the characters of HTML, and those that end a line in a script, are escaped', () => {
  const value = { '<': 'a & b > c', list: ['\u2028\u2029', 'é'] }
  assert.is(printed(value), '{"\\u003c":"a \\u0026 b \\u003e c","list":["\\u2028\\u2029","é"]}')
  assert.equal(parseTrustedJson(encodeJson(value)), value)
})

json('a document that is not stored is escaped as well', async () => {
  const { encodeDocument, eventEncoder } = createJsonSerializer()
  assert.is(Buffer.from(await encodeDocument('{"a":"<"}')).toString(), '{"a":"\\u003c"}\n')
  const events = await eventEncoder({ kind: {} as never })
  const event = Buffer.from(events.encodeDocumentEvent('ERROR', '{"a":"&"}')).toString()
  assert.is(event, '{"type":"ERROR","object":{"a":"\\u0026"}}\n')
})

json('keys that are integers stand where their characters put them', () => {
  assert.is(printed({ '9': 1, '10': 2, a: 3 }), '{"10":2,"9":1,"a":3}')
  assert.is(printed([{ '10-a': 1, '9': 2 }]), '[{"10-a":1,"9":2}]')
  assert.is(printed({ b: { '2': 1n, '11': 1.5 }, a: undefined }), '{"b":{"11":1.5,"2":1}}')
  assert.is(printed({ b: 1, a: 2 }), '{"b":1,"a":2}')
})

json('no prototype is printed or set', () => {
  const text = '{"10":1,"9":{"__proto__":2}}'
  assert.is(printed(parseTrustedJson(Buffer.from(text))), text)
})

json('integers of 16 digits or more are exact wherever they stand in what is stored', () => {
  for (let before = 0; before < 20; before++) {
    const value = { [`a${'b'.repeat(before)}`]: 9007199254740993n, short: 123456789012345 }
    assert.equal(parseTrustedJson(encodeJson(value)), value)
  }
})

json.run()
