/** What other servers say of themselves: whatever it is, it concerns their group version alone. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { resourcesOf, resourcesOfList } from '../../../runtime/aggregator/remote-discovery.ts'
import type { RemoteDocument } from '../../../runtime/aggregator/remote-document.ts'
import { fetchSchema } from '../../../runtime/aggregator/remote-schema.ts'
import type { RemoteVersion } from '../../../runtime/aggregator/remote-version.ts'

const test = suite('runtime/aggregator: documents of other servers')

const version: RemoteVersion = {
  ...{ name: 'v1.a.example.com', group: 'a.example.com', version: 'v1' },
  ...{ groupPriority: 1, versionPriority: 1, authorities: '', insecure: true, isAvailable: true },
  service: { namespace: 'default', name: 'a', port: 443 },
}
const key = 'apis/a.example.com/v1'

const odd: readonly (readonly [string, object])[] = [
  ['nothing', {}],
  ['items that are no list', { items: 7 }],
  ['groups that are no objects', { items: [null, 'x', []] }],
  ['versions that are no list', { items: [{ metadata: { name: 'a.example.com' }, versions: {} }] }],
]
for (const [what, document] of odd) {
  test(`a document with ${what} has no resources`, () => {
    assert.is(resourcesOf(document as never, 'a.example.com', 'v1'), undefined)
    assert.equal(resourcesOfList(document as never), [])
  })
}

test('of a resource what is known is kept, and has its type', () => {
  const resources = [
    {
      ...{ resource: 'lamps', verbs: ['get', 7, 'list'], scope: 'Everywhere', shortNames: 'lp' },
      ...{ responseKind: null, categories: ['all'], own: { deep: true } },
    },
  ]
  const versions = [{ version: 'v1', resources, freshness: 'Current' }]
  const document = { items: [{ metadata: { name: 'a.example.com' }, versions }] }
  assert.equal(resourcesOf(document as never, 'a.example.com', 'v1'), [
    {
      resource: 'lamps',
      responseKind: { group: '', version: '', kind: '' },
      scope: 'Namespaced',
      singularResource: '',
      verbs: ['get', 'list'],
      categories: ['all'],
    },
  ])
})

test('a name that is a word of the language is a name like any other', () => {
  const resources = [{ name: '__proto__', kind: 'Odd', namespaced: true, verbs: ['get'] }]
  const [one] = resourcesOfList({ resources } as never)
  assert.equal([one?.resource, ({} as { kind?: string }).kind], ['__proto__', undefined])
})

/** A server that has these documents by their path. */
function serving(documents: Readonly<Record<string, unknown>>) {
  const asked: string[] = []
  const ask = async ({ path }: { readonly path: string }): Promise<RemoteDocument> => {
    asked.push(path)
    const known = documents[path]
    const bytes = Buffer.from(JSON.stringify(known ?? null))
    return { status: known === undefined ? 404 : 200, contentType: '', tag: undefined, bytes }
  }
  return { ask, asked }
}

// B-04
test('a server has no say in the paths of others, nor in where its document is asked for', async () => {
  const documents = {
    '/openapi/v3': {
      paths: {
        [key]: { serverRelativeURL: 'https://evil.example.com/?x=1&hash=ABC' },
        'apis/apps/v1': { serverRelativeURL: '/openapi/v3/apis/apps/v1?hash=DEF' },
      },
    },
    [`/openapi/v3/${key}?hash=ABC`]: {
      paths: { [`/${key}/lamps`]: {}, [`/${key}x`]: {}, '/apis/apps/v1/deployments': {}, '/': {} },
      components: { schemas: { 'com.example.Lamp': { type: 'object' }, odd: null } },
    },
  }
  const { ask, asked } = serving(documents)
  const schema = await fetchSchema(version, undefined, ask)
  assert.equal(asked, ['/openapi/v3', `/openapi/v3/${key}?hash=ABC`])
  const { paths, components } = JSON.parse(schema?.text ?? '')
  assert.equal(
    [Object.keys(paths), Object.keys(components.schemas)],
    [[`/${key}/lamps`], ['com.example.Lamp']],
  )
  assert.equal([schema?.hash, schema?.isPassedOn], ['ABC', true])
  assert.is(await fetchSchema(version, schema, ask), schema)
  assert.is(asked.length, 3)
})

// B-04
test('the document of a server that knows version 2 only is told in version 3', async () => {
  const { ask } = serving({
    '/openapi/v2': {
      swagger: '2.0',
      paths: {
        [`/${key}/lamps`]: {
          parameters: [{ $ref: '#/parameters/pretty' }],
          post: {
            ...{ consumes: ['*/*'], produces: ['application/json'], operationId: 'createLamp' },
            parameters: [
              { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/Lamp' } },
              { name: 'dryRun', in: 'query', type: 'string', uniqueItems: true },
            ],
            responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/Lamp' } } },
          },
        },
        '/other': {},
      },
      parameters: { pretty: { name: 'pretty', in: 'query', type: 'string' } },
      definitions: { Lamp: { properties: { spec: { $ref: '#/definitions/Spec' } } }, Spec: {} },
    },
  })
  const schema = await fetchSchema(version, undefined, ask)
  const reference = { $ref: '#/components/schemas/Lamp' }
  assert.equal(JSON.parse(schema?.text ?? ''), {
    openapi: '3.0.0',
    info: {},
    paths: {
      [`/${key}/lamps`]: {
        post: {
          operationId: 'createLamp',
          parameters: [
            { name: 'dryRun', in: 'query', schema: { type: 'string', uniqueItems: true } },
          ],
          requestBody: { required: true, content: { '*/*': { schema: reference } } },
          responses: {
            200: { description: 'OK', content: { 'application/json': { schema: reference } } },
          },
        },
        parameters: [{ name: 'pretty', in: 'query', schema: { type: 'string' } }],
      },
    },
    components: {
      schemas: {
        Lamp: { properties: { spec: { $ref: '#/components/schemas/Spec' } } },
        Spec: {},
      },
    },
  })
  assert.is(schema?.isPassedOn, false)
})

const broken: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['a list that is none', { '/openapi/v3': [1] }],
  [
    'a document that is not there',
    { '/openapi/v3': { paths: { [key]: { serverRelativeURL: '' } } } },
  ],
]
for (const [what, documents] of broken) {
  test(`${what} is a failure of that server`, async () => {
    let failure = ''
    await fetchSchema(version, undefined, serving(documents).ask).catch(
      (error: Error) => (failure = error.message),
    )
    assert.is.not(failure, '')
  })
}

test.run()
