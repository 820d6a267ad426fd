import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { NamedType, StructType } from '../../../../codegen/schema/named-type.ts'
import { readApi } from '../../../../codegen/schema/read.ts'
import { apiOf, ownSources, readDefinitions } from '../../../support/definitions.ts'

const test = suite('codegen/schema: build')

const objectMeta = "{ $ref: 'orch:meta/v1/object-meta.yaml#/definitions/ObjectMeta' }"

function struct(types: readonly NamedType[], id: string): StructType {
  const found = types.find((type) => type.id === id)
  if (found?.is !== 'struct') throw new Error(`${id} is no struct`)
  return found
}

test('fields keep the order of properties', () => {
  const { types } = apiOf(`
Site:
  type: object
  properties:
    title: { type: string }
    age: { type: integer }`)
  const names = struct(types, 'demo/v1.Site').fields.map(({ name }) => name)
  assert.equal(names, ['title', 'age'])
})

test('an inlined struct spreads out where its protobuf number puts it', () => {
  const { types } = apiOf(`
Site:
  type: object
  allOf:
    - { $ref: '#/definitions/Look', x-orch-inline: look, x-orch-proto: 2 }
  properties:
    title: { type: string, x-orch-proto: 1 }
    pages: { type: integer, x-orch-proto: 3 }
Look:
  type: object
  properties:
    theme: { type: string, x-orch-proto: 1 }`)
  const { fields } = struct(types, 'demo/v1.Site')
  assert.equal(
    fields.map(({ name, inline }) => [name, inline?.name]),
    [
      ['title', undefined],
      ['theme', 'look'],
      ['pages', undefined],
    ],
  )
})

test('a struct without a name is named after the field around it', () => {
  const { types } = apiOf(`
Site:
  type: object
  properties:
    pages:
      type: array
      items:
        type: object
        properties:
          owner: { type: object, properties: { name: { type: string } } }`)
  const own = types.filter(({ external }) => external === undefined)
  assert.equal(
    own.map(({ id }) => id),
    ['demo/v1.Site', 'demo/v1.SitePages', 'demo/v1.SitePagesOwner'],
  )
  assert.equal(struct(types, 'demo/v1.Site').fields[0]?.type, {
    is: 'list',
    items: { is: 'ref', to: 'demo/v1.SitePages' },
  })
})

test('a definition that only renames a type is that type', () => {
  const { types } = apiOf(`
Title: { type: string, maxLength: 9 }
Heading: { $ref: '#/definitions/Title' }
Site:
  type: object
  properties:
    title: { $ref: '#/definitions/Heading' }`)
  const type = struct(types, 'demo/v1.Site').fields[0]?.type
  assert.equal(type, { is: 'string', bounds: { maxLength: 9 } })
})

test("types of orch's own root are external and say where they are", () => {
  const { types } = apiOf('Site: { type: object, properties: {} }')
  const meta = struct(types, 'meta/v1.ObjectMeta')
  assert.is(meta.external, 'elsewhere/meta/v1/object-meta.yaml')
  assert.is(struct(types, 'demo/v1.Site').external, undefined)
})

test('int-or-string and unknown fields are the scalars of meta/v1', () => {
  const { types } = apiOf(`
Site:
  type: object
  properties:
    size: { x-orch-int-or-string: true }
    extra: { type: object, x-orch-preserve-unknown-fields: true }
    any: { x-orch-preserve-unknown-fields: true }`)
  assert.equal(
    struct(types, 'demo/v1.Site').fields.map(({ type }) => type.is === 'ref' && type.to),
    ['meta/v1.IntOrString', 'meta/v1.RawExtension', 'meta/v1.Any'],
  )
})

test('a kind that says little has the facts of most kinds', () => {
  const { kinds } = apiOf(`
Site:
  type: object
  x-orch-kind: { plural: sites, subresources: { status: {} } }
  properties:
    metadata: ${objectMeta}
    spec: { type: object, properties: {} }`)
  const own = kinds.filter(({ external }) => !external)
  assert.is(own.length, 1)
  const { at: _, verbs, ...facts } = own[0]!
  assert.is(verbs.length, 8)
  assert.equal(facts, {
    group: 'demo.example.com',
    version: 'v1',
    kind: 'Site',
    plural: 'sites',
    singular: 'site',
    shortNames: [],
    categories: [],
    scope: 'Namespaced',
    subresources: [
      {
        name: 'status',
        kind: 'Site',
        apiVersion: 'demo.example.com/v1',
        verbs: ['get', 'patch', 'update'],
      },
    ],
    nameFormat: 'dns-subdomain',
    createOnUpdate: false,
    unconditionalUpdate: true,
    deleteReturns: 'Status',
    generation: true,
    columns: [],
    selectableFields: {},
    strategies: [],
    applyReset: {},
    type: 'demo/v1.Site',
    external: false,
  })
})

test('a root that no path serves is a root but no kind', () => {
  const { types, kinds } = apiOf('Note: { type: object, x-orch-kind: {}, properties: {} }')
  assert.is(struct(types, 'demo/v1.Note').root, true)
  assert.equal(
    kinds.filter(({ external }) => !external),
    [],
  )
})

test('a group that is not listed follows with priority 1000', () => {
  const kind = `
Site:
  type: object
  x-orch-kind: { plural: sites }
  properties: { metadata: ${objectMeta} }`
  assert.equal(apiOf(kind).groups, [
    { group: 'demo.example.com', versions: ['v1'], priority: 1000, off: [] },
  ])
  const [{ at, ...listed } = { at: undefined }] = apiOf(kind, 'apps').groups
  const ranks = { v1: 15 }
  assert.equal(listed, { group: 'apps', versions: ['v1'], priority: 17800, ranks, off: [] })
  assert.is(at?.file, 'orch:groups.yaml')
})

test('platform names are filled in, in strings and in keys', () => {
  const { api } = readDefinitions(
    `
Site:
  description: Served under \${api}.
  type: object
  properties:
    \${agent}: { type: string }`,
    `demo.\${api}`,
  )
  const site = struct(api?.types ?? [], 'demo/v1.Site')
  assert.is(site.group, 'demo.orch.io')
  assert.is(site.description, 'Served under orch.io.')
  assert.is(site.fields[0]?.name, 'orchlet')
})

// A2.37 A2.38 A2.39 A2.40 A2.41
test('every merge marker is there with its keyword, its values and its places', () => {
  const { markers } = apiOf('{}')
  const rows = markers.filter(({ name }) => /^(list|map|struct|patch)/.test(name))
  assert.equal(
    rows.map(({ name, keyword, values, on }) => [name, keyword, values?.join(' '), on.join(' ')]),
    [
      ['listType', 'list-type', 'atomic map set', 'list'],
      ['listMapKey', 'list-map-keys', undefined, 'list'],
      ['mapType', 'map-type', 'atomic granular', 'map struct'],
      ['structType', 'map-type', 'atomic granular', 'map struct'],
      ['patchStrategy', 'patch-strategy', 'merge merge,retainKeys replace retainKeys', 'field'],
      ['patchMergeKey', 'patch-merge-key', undefined, 'list'],
    ],
  )
  assert.ok(rows.every(({ published }) => published))
})

test('orch has no finding in its own schemas, and every reference in them resolves', () => {
  const own = new Map([...ownSources].map(([file, text]) => [file.replace(/^orch:/, ''), text]))
  const { api, findings } = readApi(own, () => '')
  assert.equal(findings, [])
  const ids = new Set(api?.types.map(({ id }) => id))
  const text = JSON.stringify(api?.types)
  const refs = [...text.matchAll(/"is":"ref","to":"([^"]*)"/g)].map((match) => match[1]!)
  assert.ok(refs.length > 100)
  assert.equal(
    refs.filter((id) => !ids.has(id)),
    [],
  )
})

test.run()
