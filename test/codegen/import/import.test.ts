/** Definitions of other people's kinds as schema files. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { definitionOf } from '../../../codegen/emit/definitions/definitions.ts'
import { modelOf } from '../../../codegen/emit/model/create-model.ts'
import {
  definitionsIn,
  importDefinitions,
  NotImportableError,
} from '../../../codegen/import/import.ts'
import { packageRoot } from '../../../codegen/main.ts'
import type { Api } from '../../../codegen/schema/ir.ts'
import { readApi } from '../../../codegen/schema/read.ts'
import { sourcesWith } from '../../support/definitions.ts'

const test = suite('codegen/import')

/** A definition with one version, whose spec has one field. */
function definition(
  field: object,
  more: { names?: object; group?: string; version?: object } = {},
): object {
  const names = { kind: 'Pipe', plural: 'pipes', ...more.names }
  const openAPIV3Schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { field } } },
  }
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema },
    ...more.version,
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'pipes.example.com' },
    spec: { group: more.group ?? 'example.com', scope: 'Namespaced', names, versions: [version] },
  }
}

function imported(object: object, version?: string) {
  return importDefinitions(definitionsIn(JSON.stringify(object)), version)
}

/** The representation of one imported schema file, which has no findings. */
function apiOf(files: ReadonlyMap<string, string>): Api {
  const [[path, text]] = [...files] as [[string, string]]
  const { api, findings } = readApi(
    sourcesWith(text, path),
    ({ file }) => `elsewhere/${file.slice(5)}`,
  )
  assert.equal(findings, [])
  return api as Api
}

/** The schema file of the definition's only kind, as data. */
function kindOf(object: object) {
  const [text = ''] = [...imported(object).files.values()]
  return parse(text).definitions.Pipe
}

const fields: readonly [what: string, field: object, schema: object][] = [
  [
    'a text',
    { type: 'string', minLength: 1, pattern: '^a+$', description: 'It.' },
    { description: 'It.', type: 'string', minLength: 1, pattern: '^a+$' },
  ],
  [
    'an enumeration',
    { type: 'string', enum: ['a', 'b'], default: 'a' },
    { type: 'string', enum: ['a', 'b'], default: 'a' },
  ],
  [
    'a number between two',
    { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1 },
    { type: 'number', exclusiveMinimum: 0, maximum: 1 },
  ],
  [
    'numbers by name',
    { type: 'integer', enum: [1, 2] },
    { type: 'integer', 'x-orch-validations': [{ rule: 'self in [1,2]' }] },
  ],
  [
    'a multiple',
    { type: 'integer', multipleOf: 5 },
    {
      type: 'integer',
      'x-orch-validations': [{ rule: 'self % 5 == 0', message: 'must be a multiple of 5' }],
    },
  ],
  [
    'a set',
    { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set', maxItems: 3 },
    { type: 'array', items: { type: 'string' }, maxItems: 3, 'x-orch-list-type': 'set' },
  ],
  [
    'a map with a bound',
    { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 2 },
    {
      type: 'object',
      additionalProperties: { type: 'string' },
      'x-orch-validations': [{ rule: 'size(self) <= 2' }],
    },
  ],
  [
    'a struct',
    { type: 'object', required: ['a'], properties: { a: { type: 'boolean' } } },
    { type: 'object', required: ['a'], properties: { a: { type: 'boolean' } } },
  ],
  ['a struct without fields', { type: 'object' }, { type: 'object', properties: {} }],
  [
    'any object',
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    { type: 'object', 'x-orch-preserve-unknown-fields': true },
  ],
  [
    'any value',
    { 'x-kubernetes-preserve-unknown-fields': true },
    { 'x-orch-preserve-unknown-fields': true },
  ],
  [
    'an integer or a text',
    { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    { $ref: 'orch:meta/v1/scalars.yaml#/definitions/IntOrString' },
  ],
  [
    'a rule',
    { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0', message: 'more' }] },
    { type: 'integer', 'x-orch-validations': [{ rule: 'self > 0', message: 'more' }] },
  ],
]

for (const [what, field, schema] of fields) {
  test(`${what} is the same in a schema file, which generates`, () => {
    const object = definition(field)
    assert.equal(kindOf(object).properties.spec.properties.field, schema)
    assert.equal(imported(object).notes, [])
    apiOf(imported(object).files)
  })
}

test('lists and maps of anything are sound', () => {
  const anything = { 'x-kubernetes-preserve-unknown-fields': true }
  const properties = {
    list: { type: 'array', items: anything },
    bare: { type: 'array' },
    map: { type: 'object', additionalProperties: anything },
  }
  const { files } = imported(definition({ type: 'object', properties }))
  assert.match([...files.values()].join(), 'scalars.yaml#/definitions/Any')
  apiOf(files)
})

const losses: readonly [keyword: string, field: object][] = [
  ['"oneOf"', { type: 'object', properties: {}, oneOf: [{ required: ['a'] }] }],
  ['"nullable"', { type: 'string', nullable: true }],
  ['the format "ipv4"', { type: 'string', format: 'ipv4' }],
  ['a pattern that may take long here', { type: 'string', pattern: '^(a+)+$' }],
  [
    'a property whose name cannot be generated',
    { type: 'object', properties: { '1st': { type: 'string' } } },
  ],
]

for (const [keyword, field] of losses) {
  test(`${keyword} is left out, told with its place, and what is left generates`, () => {
    const { files, notes } = imported(definition(field))
    assert.is(notes.length, 1)
    assert.match(notes[0] ?? '', `example.com/v1/pipe.yaml: left out ${keyword} at .spec.field`)
    apiOf(files)
  })
}

test('what goes out as a definition comes in as the same definition, with the references that it declares', () => {
  const manifest = readFileSync(
    join(packageRoot, 'test/golden/definitions/parks.parks.example.com.yaml'),
    'utf8',
  )
  const { files, notes } = importDefinitions(definitionsIn(manifest))
  assert.equal(notes, [])
  const { text } = definitionOf('parks.parks.example.com', modelOf(apiOf(files)))
  assert.equal(parse(text), parse(manifest))
})

test('columns are kept, ages are ages, what is no path is told', () => {
  const { columns } = kindOf(
    definition(
      {},
      {
        version: {
          additionalPrinterColumns: [
            { name: 'Size', type: 'integer', jsonPath: '.spec.field', priority: 1 },
            { name: 'Seen', type: 'date', jsonPath: '.status.seen' },
            {
              name: 'Ready',
              type: 'string',
              jsonPath: '.status.conditions[?(@.type=="Ready")].status',
            },
            { name: 'Odd', type: 'string', jsonPath: '.status.conditions[?(' },
            { name: 'Since', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
        },
      },
    ),
  )['x-orch-kind']
  assert.equal(
    columns.map(({ name, cell, show }: { name: string; cell: string; show?: string }) => [
      name,
      cell,
      show,
    ]),
    [
      ['Name', '.metadata.name', undefined],
      ['Size', '.spec.field', undefined],
      ['Seen', '.status.seen', 'age'],
      ['Ready', '$.status.conditions[?(@.type=="Ready")].status', undefined],
      ['Since', 'age', undefined],
    ],
  )
})

test('every served version is taken, or the one that is named; objects are stored as the definition says', () => {
  const object = definition({ type: 'string' }) as { spec: { versions: object[] } }
  const other = (name: string, fields: object, more: object = {}) => {
    const spec = { type: 'object', properties: { field: { type: 'string' }, ...fields } }
    const openAPIV3Schema = { type: 'object', properties: { spec } }
    return { name, served: true, storage: false, schema: { openAPIV3Schema }, ...more }
  }
  const [stored] = object.spec.versions as [object]
  const more = { type: 'object', properties: { a: { type: 'string' } } }
  object.spec.versions = [
    other('v2', { extra: { type: 'integer' }, more }),
    {
      ...stored,
      ...other('v1', { gone: { type: 'string' }, more: { type: 'string' } }),
      storage: true,
    },
    other('v1beta1', { gone: { type: 'string' }, more: { type: 'string' } }),
    other('v1alpha1', {}, { served: false }),
  ]
  const { files, notes } = imported(object)
  assert.equal(
    [...files.keys()],
    ['v1', 'v2', 'v1beta1'].map((version) => `example.com/${version}/pipe.yaml`),
  )
  assert.equal(
    notes.filter((note) => !note.startsWith('example.com/v2/')),
    [],
  )
  for (const part of ['spec.gone', 'spec.more', 'spec.extra']) {
    assert.ok(
      notes.some((note) => note.includes(part)),
      notes.join('\n'),
    )
  }
  const block = parse(files.get('example.com/v2/pipe.yaml') ?? '').definitions.Pipe['x-orch-kind']
  assert.is(block.storedAs, 'example.com/v1')
  assert.equal(block.conversion, {
    from: 'example.com/v1',
    steps: [
      { drop: 'spec.gone', annotation: 'example.com/v1-spec.gone' },
      { drop: 'spec.more', annotation: 'example.com/v1-spec.more' },
      { drop: 'spec.more', of: 'newer', annotation: 'example.com/v2-spec.more' },
      { drop: 'spec.extra', of: 'newer', annotation: 'example.com/v2-spec.extra' },
    ],
  })
  assert.equal([...imported(object, 'v2').files.keys()], ['example.com/v2/pipe.yaml'])
  const sources = new Map([...files].flatMap(([path, text]) => [...sourcesWith(text, path)]))
  const { findings } = readApi(sources, ({ file }) => `elsewhere/${file.slice(5)}`)
  assert.equal(findings, [])
})

test('names that would leave the folder are not imported', () => {
  for (const object of [
    definition({}, { group: '../../etc' }),
    definition({}, { names: { singular: '../../pipe' } }),
    definition({}, { names: { kind: 'Pipe}; evil(' } }),
    definition({}, { version: { name: '..' } }),
  ]) {
    const { files, notes } = imported(object)
    assert.equal([...files.keys()], [])
    assert.equal(notes, [
      'pipes.example.com: left out, it has no schema or names that no server accepts',
    ])
  }
})

test('definitions are found in lists and among other documents', () => {
  const list = {
    apiVersion: 'v1',
    kind: 'List',
    items: [definition({}), { apiVersion: 'v1', kind: 'Namespace' }],
  }
  assert.is(definitionsIn(`---\n${JSON.stringify(list)}\n---\nkind: Service\n`).length, 1)
})

test('a text without definitions is told by what it holds', () => {
  const message = (text: string): string => {
    try {
      definitionsIn(text)
    } catch (error) {
      assert.ok(error instanceof NotImportableError)
      return error.message
    }
    throw new Error('nothing was wrong')
  }
  const expected =
    'expected CustomResourceDefinition of apiextensions.k8s.io/v1 or an OpenAPI v3 document with kinds, found'
  assert.is(message(''), `${expected} nothing`)
  assert.is(message('kind: Service\napiVersion: v1'), `${expected} Service of v1`)
  const older = 'kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1beta1'
  assert.is(message(older), `${expected} CustomResourceDefinition of apiextensions.k8s.io/v1beta1`)
  assert.match(message('a: [1'), 'at line 1')
})

test('a quoted text may go on at the indentation of its key', () => {
  const text = JSON.stringify(definition({ type: 'string' }))
  const before = parse(text)
  const yaml = `kind: CustomResourceDefinition
apiVersion: apiextensions.k8s.io/v1
metadata:
  annotations:
    first: 'it''s
    long'
    second: "a \\"word\\"

    more"
  name: pipes.example.com
spec: ${JSON.stringify(before.spec)}
`
  const [found] = definitionsIn(yaml)
  assert.equal(found?.object.metadata, {
    annotations: { first: "it's long", second: 'a "word"\nmore' },
    name: 'pipes.example.com',
  })
})

test.run()
