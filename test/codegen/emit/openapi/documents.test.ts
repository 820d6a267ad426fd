import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { modelOf } from '../../../../codegen/emit/model/create-model.ts'
import { documentKeys, documentOf as made } from '../../../../codegen/emit/openapi/documents.ts'
import { json } from '../../../../codegen/emit/openapi/json.ts'
import type { Field, NamedType } from '../../../../codegen/schema/named-type.ts'
import { apiOf, closedEnum, field, ref, string, struct } from '../../../support/ir.ts'

const openapi = suite('codegen/emit: openapi')

function schemaOf(spec: readonly Field[], more: readonly NamedType[] = []) {
  return documentOf(spec, more).components.schemas['com.example.demo.v1.WidgetSpec'].properties
}

function documentOf(spec: readonly Field[] = [], more: readonly NamedType[] = []) {
  const model = modelOf(apiOf(spec, more))
  return JSON.parse(JSON.stringify(made(documentKeys(model)[0] ?? '', model).document))
}

openapi('a kind has paths for its verbs only', () => {
  const { paths } = documentOf()
  const methods = Object.entries(paths).map(([path, item]) => [path, Object.keys(item as object)])
  const root = '/apis/demo.example.com/v1'
  assert.equal(methods, [
    [`${root}/`, ['get']],
    [`${root}/namespaces/{namespace}/widgets`, ['get', 'post', 'parameters']],
    [`${root}/namespaces/{namespace}/widgets/{name}`, ['get', 'parameters']],
    [`${root}/watch/namespaces/{namespace}/widgets`, ['get', 'parameters']],
    [`${root}/watch/namespaces/{namespace}/widgets/{name}`, ['get', 'parameters']],
    [`${root}/watch/widgets`, ['get', 'parameters']],
    [`${root}/widgets`, ['get', 'parameters']],
  ])
})

openapi('an operation is found by its action and its kind', () => {
  // S-12
  const path = '/apis/demo.example.com/v1/namespaces/{namespace}/widgets/{name}'
  const { get } = documentOf().paths[path]
  assert.is(get.operationId, 'readDemoExampleComV1NamespacedWidget')
  assert.is(get['x-orch-action'], 'get')
  assert.equal(get['x-orch-group-version-kind'], {
    group: 'demo.example.com',
    kind: 'Widget',
    version: 'v1',
  })
})

openapi('values of a closed set stand where they are used, those of an open one do not', () => {
  const properties = schemaOf(
    [field('color', ref('Color')), field('mood', ref('Mood'))],
    [closedEnum('Color', ['Red', 'Blue']), closedEnum('Mood', ['Fine'], false)],
  )
  assert.equal(properties, {
    color: { description: 'The color.', type: 'string', enum: ['Blue', 'Red'] },
    mood: { description: 'The mood.', type: 'string' },
  })
})

openapi('a marker says which values are published; those of items never are', () => {
  const hidden = { ...closedEnum('Hidden', ['a']), published: false } as NamedType
  const told = { ...closedEnum('Told', ['b'], false), published: true } as NamedType
  const list = (name: string) => field(name, { is: 'list', items: ref(name) })
  const types = [hidden, told, closedEnum('Closed', ['c'])]
  const fields = [field('a', ref('Hidden')), field('b', ref('Told')), list('Told'), list('Closed')]
  const properties = schemaOf(fields, types)
  assert.equal(properties, {
    b: { description: 'The b.', type: 'string', enum: ['b'] },
    a: { description: 'The a.', type: 'string' },
    Told: {
      description: 'The Told.',
      type: 'array',
      items: { type: 'string', default: '' },
    },
    Closed: {
      description: 'The Closed.',
      type: 'array',
      items: { type: 'string', default: '' },
    },
  })
})

openapi('the zero of what is always written is its default', () => {
  // S-14
  const properties = schemaOf(
    [
      field('kept', string, { zero: 'keep' }),
      field('left', string),
      field('needed', { is: 'boolean' }, { required: true, zero: 'tracked' }),
      field('part', ref('Part'), { zero: 'keep' }),
      field('pointer', ref('Part'), { required: true, pointer: true, zero: 'tracked' }),
      field('bytes', { is: 'string', format: 'byte', bounds: {} }, { required: true }),
      field('told', string, { zero: 'keep', default: 'x' }),
    ],
    [struct('Part', [])],
  )
  const defaults = Object.entries(properties).map(([name, one]) => [
    name,
    (one as { default?: unknown }).default,
  ])
  assert.equal(defaults, [
    ['kept', ''],
    ['left', undefined],
    ['needed', false],
    ['part', {}],
    ['pointer', undefined],
    ['bytes', undefined],
    ['told', 'x'],
  ])
})

openapi('a reference with a description or a default is wrapped', () => {
  // S-14
  const { part } = schemaOf([field('part', ref('Part'), { default: {} })], [struct('Part', [])])
  assert.equal(part, {
    description: 'The part.',
    allOf: [{ $ref: '#/components/schemas/com.example.demo.v1.Part' }],
    default: {},
  })
})

openapi('list, map and patch facts are extensions', () => {
  // A2, S-12
  const { tags } = schemaOf([
    field('tags', { is: 'list', items: string }, { list: 'set', patch: ['merge'], patchKey: 'x' }),
  ])
  assert.equal(tags, {
    description: 'The tags.',
    type: 'array',
    items: { type: 'string', default: '' },
    'x-orch-list-type': 'set',
    'x-orch-patch-strategy': 'merge',
    'x-orch-patch-merge-key': 'x',
  })
})

openapi('an exclusive bound is a bound and a flag', () => {
  const bounds = { exclusiveMinimum: 0, maximum: 9 }
  const { size } = schemaOf([field('size', { is: 'integer', format: 'int32', bounds })])
  assert.equal(size, {
    description: 'The size.',
    type: 'integer',
    format: 'int32',
    maximum: 9,
    minimum: 0,
    exclusiveMinimum: true,
  })
})

openapi('a list of a kind is a schema of its own', () => {
  const list = documentOf().components.schemas['com.example.demo.v1.WidgetList']
  assert.equal(list.required, ['items'])
  assert.equal(list.properties.items.items, {
    allOf: [{ $ref: '#/components/schemas/com.example.demo.v1.Widget' }],
    default: {},
  })
})

openapi('the text of a document has one property a line where they do not fit on one', () => {
  const text = json({ a: 'x'.repeat(60), b: { c: 1, d: 'y'.repeat(60) }, e: undefined })
  assert.is(text, `{\n "a": "${'x'.repeat(60)}",\n "b": {"c":1,"d":"${'y'.repeat(60)}"}\n}`)
})

openapi.run()
