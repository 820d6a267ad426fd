import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  DecodeError,
  decodeJson,
  decodeYaml,
  syntaxProblem,
} from '../../../../runtime/serializer/serializer.ts'
import { checkShape, unreadable } from '../../../../runtime/server/negotiation/unrecognized.ts'

const tests = suite('runtime/server: bodies that are no object')
const expected = { kind: 'ConfigMap', apiVersion: 'v1' }
const head = 'the object provided is unrecognized (must be of type ConfigMap): '

async function refusal(text: string, decode: typeof decodeYaml | typeof decodeJson) {
  const bytes = Buffer.from(text)
  try {
    checkShape((await decode(bytes)).value, bytes, expected)
  } catch (error) {
    return (error instanceof DecodeError ? unreadable(error, bytes, expected) : (error as Error))
      .message
  }
  return undefined
}

const parse = `${head}couldn't get version/kind; json parse error: `
const typeMeta =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

const bodies: readonly (readonly [text: string, message: string | undefined])[] = [
  ['', `${parse}unexpected end of JSON input (<empty>)`],
  ['{', `${parse}unexpected end of JSON input ({)`],
  ['xyz', `${parse}invalid character 'x' looking for beginning of value (78797a)`],
  [
    '{"apiVersion":"v1","kind":"ConfigMap","x":',
    `${parse}unexpected end of JSON input ({"apiVersion":"v1","kind":"Con ...)`,
  ],
  ['[]', `${parse}json: cannot unmarshal array into Go value of type ${typeMeta} (5b5d)`],
  ['"x"', `${parse}json: cannot unmarshal string into Go value of type ${typeMeta} (227822)`],
  [
    '{"kind":5}',
    `${parse}json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})`,
  ],
  [
    '{"a":1e400}',
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: ' +
      'json: cannot unmarshal number 1e400 into Go value of type float64',
  ],
  ['null', undefined],
  ['{"kind":null}', undefined],
]
for (const [text, message] of bodies) {
  tests(`${JSON.stringify(text)} is answered as clients know it`, async () => {
    assert.is(await refusal(text, decodeJson), message)
  })
}

tests('a YAML text is refused with its line', async () => {
  const message = (await refusal('a: 1\nb: [', decodeYaml)) ?? ''
  assert.ok(message.startsWith(`${head}yaml: line `), message)
  assert.ok(message.endsWith('(613a20310a623a205b)'), message)
})

const problems: readonly (readonly [text: string, problem: string | undefined])[] = [
  ['{"a":1,}', `invalid character '}' looking for beginning of object key string`],
  ['{"a" 1}', `invalid character '1' after object key`],
  ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
  ['[1 2]', `invalid character '2' after array element`],
  ['[1,]', `invalid character ']' looking for beginning of value`],
  ['01', `invalid character '1' after top-level value`],
  ['-', `invalid character ' ' in numeric literal`],
  ['1.x', `invalid character 'x' after decimal point in numeric literal`],
  ['1e+', `invalid character ' ' in exponent of numeric literal`],
  ['tru\\', `invalid character '\\\\' in literal true (expecting 'e')`],
  ['"\\x"', `invalid character 'x' in string escape code`],
  ['"\\u12"', `invalid character '"' in \\u hexadecimal character escape`],
  ['"\u0001"', `invalid character '\\x01' in string literal`],
  ['é', `invalid character 'Ã' looking for beginning of value`],
  ["'a'", `invalid character '\\'' looking for beginning of value`],
  [`${'['.repeat(10_000)}`, 'unexpected end of JSON input'],
  [`${'['.repeat(10_000)}1${']'.repeat(10_000)}`, undefined],
  [`${'['.repeat(10_001)}]`, `invalid character '[' exceeded max depth`],
  [`${'{"a":'.repeat(10_001)}`, `invalid character '{' exceeded max depth`],
  [' {"a":[1,-0.5e3,true,null,"\\u00e9"],"b":{},"c":[]} ', undefined],
]
for (const [text, problem] of problems) {
  tests(`what is wrong with ${JSON.stringify(text.slice(0, 60))}`, () => {
    assert.is(syntaxProblem(Buffer.from(text)), problem)
  })
}

tests.run()
