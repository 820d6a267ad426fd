import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { documentFileName } from '../../codegen/emit/openapi/documents.ts'
import { pathTypesOf } from '../../codegen/emit/openapi/path-types.ts'
import { generate } from '../../codegen/main.ts'
import { scheme } from '../../generated/scheme.ts'
import { tempDirectory } from '../support/temp.ts'

const test = suite('generated: path types')

const oracle = async (text: string) => astToString(await openapiTypescript(text))
const documents = await scheme.openapi()
const out = tempDirectory()
await generate({ out, check: false, pathTypes: true })

for (const [key, text] of Object.entries(documents)) {
  test(`the path types of ${key} are what openapi-typescript makes of its document`, async () => {
    const file = join(out, `openapi/paths/${documentFileName(key)}.ts`)
    const generated = readFileSync(file, 'utf8')
    const body = generated.slice(generated.indexOf('\n\n') + 2)
    assert.ok(body === (await oracle(text)), `${file} differs from what openapi-typescript makes`)
  })
}

const odd = {
  Words: { type: 'string', description: 'first line\n\nthird */ line', default: '' },
  Values: { enum: ['a', 'b'], type: 'string' },
  One: { enum: ['a'], type: 'string' },
  Rows: { type: 'array', items: { type: 'array', items: { type: 'string', enum: ['x', 'y'] } } },
  Singles: { type: 'array', items: { type: 'string', enum: ['x'] } },
  Either: { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'integer' }] } },
  Same: { oneOf: [{ type: 'number' }, { type: 'integer' }] },
  Maps: {
    type: 'object',
    additionalProperties: { type: 'object', additionalProperties: { type: 'boolean' } },
  },
  Anything: { description: 'no type at all' },
  'with-dash': {
    type: 'object',
    required: ['a b', '1x'],
    properties: {
      'a b': { type: 'integer', format: 'int64' },
      '1x': { $ref: '#/components/schemas/Values' },
      $ok_1: { allOf: [{ $ref: '#/components/schemas/Rows' }], default: [['x']] },
      none: { type: 'object', properties: {} },
      object: { type: 'object', default: { a: [1], b: {} }, additionalProperties: {} },
      flag: { type: 'boolean', default: false, description: '' },
    },
  },
}

test('odd schemas are no exception', async () => {
  const document = { openapi: '3.0.0', info: { title: 'x', version: '1' } }
  const path = {
    get: {
      operationId: 'read-it',
      description: 'reads\nit',
      parameters: [
        { name: 'x-y', in: 'query', schema: { type: 'integer' } },
        { name: 'z', in: 'query', required: true, schema: { type: 'string' } },
      ],
      responses: { 200: { description: 'OK', content: { 'a/b': { schema: {} } } } },
    },
    parameters: [{ name: 'name', in: 'path', required: true, schema: { type: 'string' } }],
  }
  const whole = { ...document, paths: { '/x/{name}': path }, components: { schemas: odd } }
  const made = pathTypesOf({ key: 'x', from: [], document: whole })
  assert.is(made.text, await oracle(JSON.stringify(whole)))
})

test.run()
