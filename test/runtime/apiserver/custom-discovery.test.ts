/** What clients find out about a kind that was defined at run time, and that they find nothing once it is gone. */
import '../../../tools/test/guard.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fakeClock } from '../../support/clock.ts'
import {
  type CustomServer,
  definition,
  definitionsPath,
  established,
  startCustom,
} from '../../support/custom.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/apiserver: discovery of definitions')

let custom: CustomServer
test.before(async () => {
  custom = await startCustom({ clock: fakeClock(Date.parse('2030-01-01T00:00:00Z')) })
})
test.after(() => custom.stop())

const merge = 'application/merge-patch+json'
const aggregated = 'application/json;g=apidiscovery.orch.io;v=v2beta1;as=APIGroupDiscoveryList'
const schema = {
  type: 'object',
  description: 'A lamp that can be switched.',
  properties: {
    spec: {
      type: 'object',
      properties: {
        lit: { type: 'boolean', description: 'Whether it is on.' },
        colors: { type: 'array', items: { type: 'string' }, 'x-orch-list-type': 'set' },
        any: { type: 'object', 'x-orch-preserve-unknown-fields': true },
        size: { 'x-orch-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      },
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' } } },
  },
}

function versions(...all: readonly object[]): object {
  return {
    versions: all.map((one, index) => ({
      name: `v${index + 1}`,
      served: true,
      storage: index === 0,
      schema: { openAPIV3Schema: schema },
      ...one,
    })),
  }
}

const lamp = definition('Lamp', schema, {
  names: { shortNames: ['lp'], categories: ['all', 'lights'] },
  spec: versions(
    {
      subresources: {
        status: {},
        scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
      },
    },
    { name: 'v1beta1', deprecated: true },
    { name: 'v1alpha1', served: false },
  ),
})

interface Resource {
  readonly name: string
  readonly [field: string]: unknown
}

async function resources(version: string): Promise<readonly Resource[]> {
  const { json } = await custom.ask('GET', `/apis/example.com/${version}`)
  return json.resources
}

/** The definitions of the OpenAPI v2 document. */
async function swagger(): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>> {
  return (await custom.ask('GET', '/openapi/v2')).json.definitions
}

test('resources are listed with their names, verbs and subresources (C-23, S-04, S-08)', async () => {
  await custom.define(lamp)
  const [main, scale, status] = await resources('v1')
  assert.is(typeof main?.storageVersionHash, 'string')
  const { storageVersionHash, ...rest } = main as Resource
  assert.equal(rest, {
    name: 'lamps',
    singularName: 'lamp',
    namespaced: true,
    kind: 'Lamp',
    verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
    shortNames: ['lp'],
    categories: ['all', 'lights'],
  })
  assert.equal([scale?.name, scale?.kind, scale?.group], ['lamps/scale', 'Scale', 'autoscaling'])
  assert.equal([status?.name, status?.kind], ['lamps/status', 'Lamp'])
  assert.equal(
    (await resources('v1beta1')).map(({ name }) => name),
    ['lamps'],
  )
})

test('methods that a custom kind lacks are named, and below its group a 404 is a text (E-20, E-21)', async () => {
  const { ask } = custom
  const lamps = '/apis/example.com/v1/namespaces/default/lamps'
  const refused = await ask('POST', `${lamps}/x/status`, {})
  assert.equal(
    [refused.status, refused.json.reason, refused.json.message],
    [405, 'MethodNotAllowed', 'create is not supported on resources of kind "lamps.example.com"'],
  )
  for (const [method, path] of [
    ['GET', '/apis/example.com/v9/lamps'],
    ['GET', '/apis/example.com/v1/unknown'],
    ['POST', '/apis/example.com/v1/lamps'],
  ] as const) {
    const { status, text } = await ask(method, path)
    assert.equal([status, text], [404, '404 page not found\n'], path)
  }
})

test('a version that is not served is nowhere (C-21)', async () => {
  assert.is((await custom.ask('GET', '/apis/example.com/v1alpha1')).status, 404)
  assert.is((await custom.ask('GET', '/apis/example.com/v1alpha1/lamps')).status, 404)
  const { json } = await custom.ask('GET', '/apis/example.com')
  assert.equal(
    json.versions.map(({ version }: { version: string }) => version),
    ['v1', 'v1beta1'],
  )
  assert.is(json.preferredVersion.version, 'v1')
})

test('aggregated discovery has the group with its versions in their order (S-05, S-08)', async () => {
  const { json, headers } = await custom.ask('GET', '/apis', undefined, aggregated)
  assert.ok(headers.get('etag'))
  const group = json.items.find(
    (one: { metadata: Resource }) => one.metadata.name === 'example.com',
  )
  assert.equal(
    group.versions.map((one: { version: string }) => one.version),
    ['v1', 'v1beta1'],
  )
  const [resource] = group.versions[0].resources
  assert.is(resource.resource, 'lamps')
  assert.is(resource.singularResource, 'lamp')
  assert.equal(
    resource.subresources.map((one: { subresource: string }) => one.subresource),
    ['scale', 'status'],
  )
})

test('the documents describe the kind, with extension keys under both prefixes (S-12, S-13, S-15)', async () => {
  const { json } = await custom.ask('GET', '/openapi/v3')
  const { serverRelativeURL } = json.paths['apis/example.com/v1']
  const document = (await custom.ask('GET', serverRelativeURL)).json
  const found = document.components.schemas['com.example.v1.Lamp']
  assert.is(found.description, 'A lamp that can be switched.')
  assert.is(found.properties.spec.properties.lit.description, 'Whether it is on.')
  assert.is(found.properties.spec.properties.colors['x-orch-list-type'], 'set')
  const gvk = [{ group: 'example.com', kind: 'Lamp', version: 'v1' }]
  assert.equal(found['x-orch-group-version-kind'], gvk)
  assert.match(found.properties.metadata.allOf[0].$ref, /ObjectMeta$/)
  const path = document.paths['/apis/example.com/v1/namespaces/{namespace}/lamps/{name}']
  assert.equal(Object.keys(path).sort(), ['delete', 'get', 'parameters', 'patch', 'put'])
  const own = json.paths['apis/apps/v1'].serverRelativeURL
  const { paths } = (await custom.ask('GET', own)).json
  const like = paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']
  for (const verb of ['get', 'put', 'patch', 'delete']) {
    assert.equal(
      path[verb].parameters,
      like[verb].parameters,
      `${verb} takes what it takes elsewhere`,
    )
  }
  assert.equal(Object.keys(path.patch.requestBody.content), [
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/apply-patch+yaml',
  ])
  const two = (await swagger())['com.example.v1.Lamp']
  assert.is(two?.description, 'A lamp that can be switched.')
})

test('the older document leaves out what its clients would take too narrowly (S-15)', async () => {
  const inner = { type: 'object', properties: { a: { type: 'string' } } }
  const spec = {
    type: 'object',
    properties: {
      maybe: { ...inner, nullable: true },
      kept: { ...inner, 'x-orch-preserve-unknown-fields': true },
      either: { ...inner, oneOf: [{ required: ['a'] }], allOf: [{ required: ['a'] }] },
      amount: { 'x-orch-int-or-string': true },
      inner: { type: 'object', 'x-orch-embedded-resource': true, properties: inner.properties },
    },
    required: ['maybe', 'kept'],
  }
  await custom.define(definition('Narrow', { type: 'object', properties: { spec } }))
  const found = await until('the definition is there', async () => {
    return (await swagger())['com.example.v1.Narrow']
  })
  const { properties: all, required } = (
    found.properties as { spec: { properties: Record<string, object>; required: string[] } }
  ).spec
  const { amount, inner: resource, ...properties } = all
  assert.equal(required, ['kept'])
  assert.equal(amount, { 'x-orch-int-or-string': true, 'x-kubernetes-int-or-string': true })
  assert.equal((resource as { required?: unknown }).required, ['kind', 'apiVersion'])
  assert.equal(properties, {
    maybe: {},
    kept: {
      'x-orch-preserve-unknown-fields': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
    either: inner,
  })
  await custom.ask('DELETE', `${definitionsPath}/narrows.example.com`)
})

test('an object that keeps unknown fields has none in the older document, and does not say so', async () => {
  const open = { type: 'object', 'x-orch-preserve-unknown-fields': true }
  await custom.define(definition('Open', { ...open, properties: { a: { type: 'string' } } }))
  const found = await until('the definition is there', async () => {
    return (await swagger())['com.example.v1.Open']
  })
  const names = [{ group: 'example.com', kind: 'Open', version: 'v1' }]
  assert.equal(found, {
    type: 'object',
    'x-orch-group-version-kind': names,
    'x-kubernetes-group-version-kind': names,
  })
  await custom.ask('DELETE', `${definitionsPath}/opens.example.com`)
})

test('a change of the schema is in the documents and in force before its clock moves on (C-04, S-13)', async () => {
  const index = async () => (await custom.ask('GET', '/openapi/v3')).json.paths
  const before = (await index())['apis/example.com/v1'].serverRelativeURL
  const etag = (await custom.ask('GET', '/openapi/v2')).headers.get('etag')
  const spec = { type: 'object', properties: { dimmed: { type: 'integer' } } }
  const next = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  const path = `${definitionsPath}/lamps.example.com`
  const { json } = await custom.ask('GET', path)
  const [first, ...others] = json.spec.versions
  const changed = await custom.ask(
    'PATCH',
    path,
    { spec: { versions: [{ ...first, schema: next }, ...others] } },
    merge,
  )
  assert.is(changed.status, 200, changed.text)
  await until('the document is another', async () => {
    return (await index())['apis/example.com/v1'].serverRelativeURL !== before
  })
  const made = await custom.ask('POST', '/apis/example.com/v1/namespaces/default/lamps', {
    metadata: { name: 'a' },
    spec: { dimmed: 5, lit: true },
  })
  assert.equal(made.json.spec, { dimmed: 5 })
  assert.not.equal((await custom.ask('GET', '/openapi/v2')).headers.get('etag'), etag)
  const { properties } = (await swagger())['com.example.v1.Lamp'] as {
    properties: { spec: Resource }
  }
  assert.ok((properties.spec.properties as Resource).dimmed)
})

test('new columns are shown, dates as ages, and what an object lacks is null (C-18, D-24, M-08)', async () => {
  const path = `${definitionsPath}/lamps.example.com`
  const { json } = await custom.ask('GET', path)
  const [first, ...others] = json.spec.versions
  const additionalPrinterColumns = [
    { name: 'Dimmed', type: 'integer', jsonPath: '.spec.dimmed', description: 'By how much.' },
    { name: 'Gone', type: 'string', jsonPath: '.spec.gone', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ]
  const spec = { versions: [{ ...first, additionalPrinterColumns }, ...others] }
  await custom.ask('PATCH', path, { spec }, merge)
  const table = await until('the columns are there', async () => {
    const answer = await custom.ask(
      'GET',
      '/apis/example.com/v1/lamps',
      undefined,
      'application/json;as=Table;v=v1;g=meta.orch.io',
    )
    return answer.json.columnDefinitions.length === 4 && answer.json
  })
  assert.equal(
    table.columnDefinitions.map((one: Resource) => [one.name, one.type, one.priority]),
    [
      ['Name', 'string', 0],
      ['Dimmed', 'integer', 0],
      ['Gone', 'string', 1],
      ['Age', 'date', 0],
    ],
  )
  const [{ cells }] = table.rows
  assert.equal(cells.slice(0, 3), ['a', 5, null])
  assert.match(cells[3], /^\d+s$/)
})

test('a deprecated version warns whoever uses it, in its own words if it has some (C-22)', async () => {
  const path = '/apis/example.com/v1beta1/lamps'
  assert.is(
    (await custom.ask('GET', path)).headers.get('warning'),
    '299 - "example.com/v1beta1 Lamp is deprecated; use example.com/v1 Lamp"',
  )
  const own = definition('Own', schema, {
    version: { deprecated: true, deprecationWarning: 'take a "Lamp"' },
  })
  await custom.define(own)
  const { headers } = await custom.ask('GET', '/apis/example.com/v1/owns')
  assert.is(headers.get('warning'), '299 - "take a \\"Lamp\\""')
})

test('a group of several definitions is listed once, and goes with the last of them', async () => {
  await custom.ask('DELETE', `${definitionsPath}/owns.example.com`)
  await until('one is gone', async () => {
    return (await custom.ask('GET', '/apis/example.com/v1/owns')).status === 404
  })
  assert.is((await custom.ask('GET', '/apis/example.com')).status, 200)
  await custom.ask('DELETE', `${definitionsPath}/lamps.example.com`)
  await until('the group is gone', async () => {
    return (await custom.ask('GET', '/apis/example.com')).status === 404
  })
  assert.is((await custom.ask('GET', '/apis/example.com/v1')).status, 404)
  assert.is((await custom.ask('GET', '/apis/example.com/v1/lamps')).status, 404)
  assert.not.ok((await custom.ask('GET', '/openapi/v3')).text.includes('example.com'))
  assert.not.ok(Object.hasOwn(await swagger(), 'com.example.v1.Lamp'))
  const { text } = await custom.ask('GET', '/apis', undefined, aggregated)
  assert.not.ok(text.includes('example.com'))
})

test('a kind that comes back under its old name has nothing of the old one', async () => {
  const back = definition('Lamp', { type: 'object', properties: { other: { type: 'integer' } } })
  await custom.define(back)
  await established(custom.ask, 'lamps.example.com')
  const { json } = await custom.ask('GET', '/apis/example.com/v1/lamps')
  assert.equal(json.items, [])
  const made = await custom.ask('POST', '/apis/example.com/v1/namespaces/default/lamps', {
    metadata: { name: 'a' },
    spec: { lit: true },
    other: 3,
  })
  assert.is(made.json.spec, undefined)
  assert.is(made.json.other, 3)
})

test('integers of 64 bits in a schema stand exactly in the documents, and hide no other kind (S-13)', async () => {
  const most = '9223372036854775807'
  const bounds = { type: 'integer', format: 'int64', maximum: most, default: most, enum: [most, 1] }
  const large = definition('Large', { type: 'object', properties: { size: bounds } })
  const body = JSON.stringify(large).replaceAll(`"${most}"`, most)
  const { status, text } = await custom.ask('POST', definitionsPath, body)
  assert.is(status, 201, text)
  await established(custom.ask, 'larges.example.com')
  for (const path of ['/openapi/v3', '/openapi/v2', '/openapi/v3/apis/apps/v1']) {
    assert.is((await custom.ask('GET', path)).status, 200, path)
  }
  const document = await custom.ask('GET', '/openapi/v3/apis/example.com/v1')
  assert.ok(document.text.includes(`"default":${most}`))
  const larges = '/apis/example.com/v1/namespaces/default/larges'
  const made = await custom.ask('POST', larges, { metadata: { name: 'a' } })
  assert.ok(made.text.includes(`"size":${most}`), made.text)
})

test.run()
