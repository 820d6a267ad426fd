/** OpenAPI v3 documents of servers as definitions. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  definitionsIn,
  importableDefinition,
  importDefinitions,
  NotImportableError,
} from '../../../codegen/import/import.ts'
import { readApi } from '../../../codegen/schema/read.ts'
import { customResourceDefinitions } from '../../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
import { scheme } from '../../../generated/scheme.ts'
import { startControlPlane } from '../../../runtime/testing/control-plane.ts'
import { sourcesWith } from '../../support/definitions.ts'
import { until } from '../../support/until.ts'
import { widgetDefinition } from '../../support/widgets.ts'

const test = suite('codegen/import: OpenAPI')

test('a kind that a server publishes is imported as its definition is', async () => {
  await using plane = await startControlPlane({ socket: true })
  const stored = await plane.client.resource(customResourceDefinitions).create(widgetDefinition)
  const document = await until('document', async () => {
    const response = await fetch(`${plane.url}/openapi/v3/apis/shop.example.com/v1`)
    return response.ok && response.text()
  })
  const [published] = importDefinitions(definitionsIn(document)).files
  const [defined] = importDefinitions([importableDefinition(stored as never)]).files
  assert.is(published?.[0], defined?.[0])
  const without = (text = '') =>
    text.replace(/^ +shortNames:\n +- wd\n/m, '').replace(/description: .*\n/g, '')
  assert.is(without(published?.[1]), without(defined?.[1]))
})

test('every kind of the documents of this package becomes a schema file that is sound', async () => {
  const documents = Object.entries(await scheme.openapi())
  const named = documents.filter(([path]) => path.startsWith('apis/') && path.includes('.'))
  for (const [path, text] of named) {
    if (!text.includes('"x-kubernetes-action":"list"')) continue
    const { files } = importDefinitions(definitionsIn(text))
    assert.ok(files.size > 0, path)
    for (const [place, file] of files) {
      const { findings } = readApi(sourcesWith(file, place), ({ file }) => `elsewhere/${file}`)
      assert.equal(
        findings.map(({ at, message }) => `${at.file}: ${message}`),
        [],
      )
    }
  }
})

function documentOf(schemas: object, more: object = {}): string {
  const gvk = { group: 'a.example.com', version: 'v1', kind: 'Thing' }
  const marked = { 'x-kubernetes-group-version-kind': gvk }
  const root = {
    type: 'object',
    'x-kubernetes-group-version-kind': [gvk],
    properties: {
      metadata: {},
      spec: { allOf: [{ $ref: '#/components/schemas/Spec' }], default: {} },
    },
  }
  return JSON.stringify({
    openapi: '3.0.0',
    paths: {
      '/apis/a.example.com/v1/things': { get: marked },
      '/apis/a.example.com/v1/namespaces/{namespace}/things': { get: marked },
      '/apis/a.example.com/v1/namespaces/{namespace}/things/{name}/status': {},
      ...more,
    },
    components: { schemas: { Thing: root, ...schemas } },
  })
}

function imported(schemas: object): string {
  const { files } = importDefinitions(definitionsIn(documentOf(schemas)))
  return files.get('a.example.com/v1/thing.yaml') ?? ''
}

test('references are written out, types of the machinery are known by name', () => {
  const machinery = 'io.k8s.apimachinery.pkg'
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const file = imported({
    Spec: {
      type: 'object',
      properties: {
        at: ref(`${machinery}.apis.meta.v1.Time`),
        size: ref(`${machinery}.api.resource.Quantity`),
        port: ref(`${machinery}.util.intstr.IntOrString`),
        list: { type: 'array', items: ref('Item') },
      },
    },
    Item: { type: 'object', properties: { name: { type: 'string' } } },
  })
  assert.match(file, 'scope: Namespaced')
  assert.match(file, 'status: {}')
  assert.match(file, 'orch:meta/v1/scalars.yaml#/definitions/Quantity')
  assert.match(file, 'orch:meta/v1/scalars.yaml#/definitions/IntOrString')
  assert.match(file, 'format: date-time')
  assert.match(file, /items:\n +type: object\n +properties:\n +name:/)
})

test('a schema that contains itself is open from there on', () => {
  const spec = { type: 'object', properties: { inner: { $ref: '#/components/schemas/Spec' } } }
  assert.match(imported({ Spec: spec }), 'x-orch-preserve-unknown-fields: true')
})

test('a document whose references multiply is refused', () => {
  const levels = Array.from({ length: 20 }, (_, level) => {
    const next = { $ref: `#/components/schemas/L${level + 1}` }
    return [`L${level}`, { type: 'object', properties: { a: next, b: next } }] as const
  })
  const schemas = { ...Object.fromEntries(levels), Spec: { $ref: '#/components/schemas/L0' } }
  assert.throws(
    () => definitionsIn(documentOf(schemas)),
    (error: unknown) => error instanceof NotImportableError && /has more than/.test(error.message),
  )
})

test.run()
