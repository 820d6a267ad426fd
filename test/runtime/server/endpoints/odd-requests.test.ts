/** What requests with odd paths, options and media types are told: as public servers tell it, found by comparing with one. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fits, type Script, startTestServer } from '../harness.ts'

const tests = suite('runtime/server: odd requests')
const wire = await startTestServer({})
tests.after(() => wire.stop())

const maps = '/api/v1/namespaces/default/configmaps'
const scale = '/namespaces/default/deployments/absent/scale'
const reviews = '/apis/authentication.orch.io/v1/tokenreviews'

const badRequest = (message: string | RegExp) => ({
  status: 400,
  body: { reason: 'BadRequest', message, code: 400 },
})
const token = (why: string) =>
  badRequest(`invalid continue token: continue key is not valid: ${why}`)
const integer = (text: string, why = 'invalid syntax') =>
  badRequest(`strconv.ParseInt: parsing "${text}": ${why}`)
const status404 = {
  status: 404,
  body: { reason: 'NotFound', message: 'the server could not find the requested resource' },
}
const table = 'application/json;as=Table;g=meta.orch.io;v=v1'
const wrongMap = { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 1 } }
const merge = { 'content-type': 'application/merge-patch+json' }

const eviction = '/api/v1/namespaces/default/pods/absent/eviction'

/** A patch whose fields are not validated is read by the libraries that apply it, in their words. */
const unchecked = (
  [
    ['json', '{"a":1}', 400, 'json: cannot unmarshal object into Go value of type jsonpatch.Patch'],
    ['json', '[1]', 400, 'json: cannot unmarshal number into Go value of type jsonpatch.Operation'],
    ['json', '{', 400, 'unexpected end of JSON input'],
    ['json', '[{"op":1}]', 422, 'the server rejected our request due to an error in our request'],
    ['merge', '{', 400, 'Invalid JSON Patch'],
    ['merge', '1', 400, 'Invalid JSON Patch'],
    ['merge', '[1,{"a":null},null]', 422, / is invalid: patch: Invalid value: "\[1,{}\]": /],
  ] as const
).map(([type, body, status, message]): Script[number] => [
  `an unchecked ${type} patch ${body} is refused`,
  {
    method: 'PATCH',
    path: `${maps}/there?fieldValidation=Ignore`,
    headers: {
      'content-type': `application/${type === 'json' ? 'json-patch' : 'merge-patch'}+json`,
    },
    body,
  },
  { status, body: { message } },
])

const script: Script = [
  ['an empty limit is no integer', { path: `${maps}?limit=` }, integer('')],
  ['a limit has no fraction', { path: `${maps}?limit=1.0` }, integer('1.0')],
  [
    'a limit has 64 bits',
    { path: `${maps}?limit=9223372036854775808` },
    integer('9223372036854775808', 'value out of range'),
  ],
  ['a watch is held to its limit, too', { path: `${maps}?watch=1&limit=x` }, integer('x')],
  ['a list is held to its timeout', { path: `${maps}?timeoutSeconds=x` }, integer('x')],
  ['no document is', { path: '/version?timeoutSeconds=x' }, { status: 200 }],
  [
    'a period of grace is an integer',
    { method: 'DELETE', path: `${maps}/a?gracePeriodSeconds=` },
    integer(''),
  ],
  ['a timeout below zero is none', { path: `${maps}?timeout=-1s` }, { status: 200 }],
  [
    'a timeout has a unit',
    { path: `${maps}?timeout=1m1` },
    badRequest(
      'invalid timeout specified in the request URL - time: missing unit in duration "1m1"',
    ),
  ],
  [
    'a token is base64',
    { path: `${maps}?continue=e30=` },
    token('illegal base64 data at input byte 3'),
  ],
  [
    'a token has whole bytes',
    { path: `${maps}?continue=x` },
    token('illegal base64 data at input byte 0'),
  ],
  ['a token is JSON', { path: `${maps}?continue=eyI` }, token('unexpected end of JSON input')],
  [
    'a token is an object',
    { path: `${maps}?continue=W10` },
    token('json: cannot unmarshal array into Go value of type storage.continueToken'),
  ],
  [
    'a token has a version',
    { path: `${maps}?continue=e30` },
    token('server does not recognize this encoded version '),
  ],
  [
    'a version is a number of 64 bits',
    { path: `${maps}?resourceVersion=18446744073709551616` },
    badRequest(
      'invalid resource version: resourceVersion: Invalid value: "18446744073709551616": ' +
        'strconv.ParseUint: parsing "18446744073709551616": value out of range',
    ),
  ],
  [
    'all values of dryRun are told at once',
    { method: 'POST', path: `${maps}?dryRun=All&dryRun=x`, body: {} },
    {
      status: 422,
      body: {
        message:
          'CreateOptions.meta.orch.io "" is invalid: dryRun: Unsupported value: []string{"All", "x"}: supported values: "All"',
      },
    },
  ],
  [
    'the type of a body is looked at before the options',
    {
      method: 'POST',
      path: `${maps}?dryRun=x`,
      headers: { 'content-type': 'text/xml' },
      body: 'x',
    },
    { status: 415 },
  ],
  [
    'a patch that is everything is none',
    { method: 'PATCH', path: `${maps}/a`, headers: { 'content-type': '*/*' }, body: '{}' },
    { status: 415, body: { message: '415: Unsupported Media Type', details: {} } },
  ],
  [
    'a list is given as a stream, too',
    { path: maps, headers: { accept: 'text/plain' } },
    {
      status: 406,
      body: {
        details: {},
        message:
          '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, ' +
          'application/vnd.orch.protobuf, application/json;stream=watch, application/vnd.orch.protobuf;stream=watch',
      },
    },
  ],
  [
    'a manager has 128 bytes',
    {
      method: 'POST',
      path: `${maps}?fieldManager=${encodeURIComponent('é'.repeat(65))}`,
      body: {},
    },
    { status: 422, body: { message: /fieldManager: Too long: must have at most 128 bytes/ } },
  ],
  [
    'each character of a manager that is not printed is told with its place',
    { method: 'POST', path: `${maps}?fieldManager=${encodeURIComponent('é\tb\u200b')}`, body: {} },
    {
      status: 422,
      body: {
        details: {
          causes: [
            { message: /invalid character U\+0009 \(at position 2\)$/ },
            { message: /invalid character U\+200B \(at position 4\)$/ },
          ],
        },
      },
    },
  ],
  [
    'an unknown policy is refused with those that are',
    { method: 'DELETE', path: `${maps}/a?propagationPolicy=orphan` },
    {
      status: 422,
      body: {
        message: /"orphan": supported values: "Foreground", "Background", "Orphan", "nil"/,
      },
    },
  ],
  [
    'a parameter of a media type has a value',
    { method: 'POST', path: maps, headers: { 'content-type': 'application/json;a' }, body: '{}' },
    { status: 415 },
  ],
  ['a review has no name', { path: `${reviews}/a` }, status404],
  ['a review is not read', { path: reviews }, { status: 405 }],
  ['two slashes in an API are a Status', { path: '/api//v1/namespaces' }, status404],
  [
    'two slashes at the start are a text',
    { path: '//api/v1' },
    { status: 404, body: '404 page not found\n' },
  ],
  [
    'a percent sign has two digits',
    { path: `${maps}%zz` },
    { status: 400, body: '400 Bad Request' },
  ],
  [
    'the scale of what is absent is absent',
    { path: `/apis/apps/v1${scale}` },
    { status: 404, body: { message: 'deployments/scale.apps "absent" not found' } },
  ],
  [
    'what would be scaled is absent',
    { method: 'PATCH', path: `/apis/apps/v1${scale}`, headers: merge, body: '{}' },
    { status: 404, body: { message: 'deployments.apps "absent" not found' } },
  ],
  [
    'a selector is read before options are judged',
    { path: `${maps}?resourceVersionMatch=Exact&labelSelector=a+b` },
    badRequest(/^unable to parse requirement: found 'b'/),
  ],
  [
    'options are judged before the fields that a kind has',
    { path: `${maps}?resourceVersionMatch=Exact&fieldSelector=spec.nothing%3Da` },
    { status: 422 },
  ],
  [
    'a token is read before the version beside it',
    { path: `${maps}?continue=W10&resourceVersion=1` },
    token('json: cannot unmarshal array into Go value of type storage.continueToken'),
  ],
  [
    'what is to be deleted is judged before how',
    {
      method: 'DELETE',
      path: `${maps}?sendInitialEvents=1`,
      headers: { 'content-type': 'text/plain' },
      body: 'x',
    },
    {
      status: 422,
      body: { details: { kind: 'ListOptions', causes: [{ field: 'sendInitialEvents' }] } },
    },
  ],
  [
    'a path of a watch that does not say so has the options of a list',
    { path: '/api/v1/watch/namespaces?sendInitialEvents=1' },
    { status: 422, body: { message: /sendInitialEvents is forbidden for list$/ } },
  ],
  [
    'a watch is streamed or refused',
    { path: `${maps}?watch=1`, headers: { accept: 'application/yaml' } },
    {
      status: 406,
      body: /only the following media types are accepted: application\/json;stream=watch,/,
    },
  ],
  [
    'a watch has no timeout',
    { path: '/apis/authorization.orch.io/v1/subjectaccessreviews?watch=1&timeout=x' },
    { status: 405 },
  ],
  ['a second question mark is part of a name', { path: `${maps}??limit=x` }, { status: 200 }],
  [
    'a name is a segment of a path',
    { path: `${maps}/a%25b` },
    badRequest(`Name parameter invalid: "a%b": may not contain '%'`),
  ],
  [
    'bytes that are no text are replaced',
    { path: `${maps}/a%FF` },
    { status: 404, body: { details: { name: 'a\ufffd' } } },
  ],
  [
    'what cannot be printed is escaped',
    { path: `${maps}/a%00` },
    { status: 404, body: { message: 'configmaps "a\\x00" not found' } },
  ],
  [
    'in a name that is no segment of a path',
    { path: `${maps}/%01%25` },
    badRequest(`Name parameter invalid: "\\x01%": may not contain '%'`),
  ],
  [
    'in the value of a label',
    { path: `${maps}?labelSelector=a%3D%01%E2%80%8B` },
    badRequest(/values\[0\]\[a\]: Invalid value: "\\x01\\u200b": /),
  ],
  [
    'in the key of a label',
    { path: `${maps}?labelSelector=%01a%3Db` },
    badRequest(/<nil>: Invalid value: "\\x01a": /),
  ],
  [
    'in the name of a field',
    { path: `${maps}?fieldSelector=%01a%3Db` },
    badRequest(/^"\\x01a" is not a known field selector/),
  ],
  [
    'in a version',
    { path: `${maps}?resourceVersion=%01` },
    badRequest(/Invalid value: "\\x01": strconv.ParseUint: parsing "\\x01": invalid syntax$/),
  ],
  [
    'and in an option',
    { method: 'POST', path: `${maps}?dryRun=%01`, body: '{}' },
    { status: 422, body: { message: /Unsupported value: \[\]string\{"\\x01"\}/ } },
  ],
  [
    'a document that is only read refuses methods before forms',
    { method: 'OPTIONS', path: '/api/v1', headers: { accept: 'text/html' } },
    { status: 405 },
  ],
  ['a group is a group before a slash', { path: '/api%2F/v1/namespaces' }, status404],
  ['health has no slash at its end', { path: '/livez/' }, { status: 404 }],
  ['documents have none', { path: '/openapi/v2/' }, { status: 404 }],
  [
    'any document will do',
    { path: '/openapi/v3/api/v1', headers: { 'if-none-match': '*' } },
    { status: 304 },
  ],
  [
    'how a table shows objects is asked of objects that are there',
    { path: `${maps}/absent?includeObject=none`, headers: { accept: table } },
    { status: 404 },
  ],
  [
    'and of lists',
    { path: `${maps}?includeObject=none`, headers: { accept: table } },
    badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: "none": must be 'Metadata', 'Object', 'None', or empty`,
    ),
  ],
  [
    'a body is decoded before it is found to be of another kind',
    { method: 'PUT', path: '/api/v1/namespaces/default/secrets/a', body: wrongMap },
    badRequest(
      'ConfigMap in version "v1" cannot be handled as a Secret: ' +
        'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ),
  ],
  [
    'null is an object without a name',
    { method: 'PUT', path: `${maps}/a`, body: 'null' },
    badRequest('the name of the object (a based on URL) was undeterminable: name must be provided'),
  ],
  [
    'a scale has a name, too',
    { method: 'PUT', path: `/apis/apps/v1${scale}`, body: '{}' },
    badRequest(
      'the name of the object (absent based on URL) was undeterminable: name must be provided',
    ),
  ],
  [
    'a text with control characters is no YAML',
    { method: 'POST', path: maps, headers: { 'content-type': 'application/yaml' }, body: '\0' },
    badRequest(
      'the object provided is unrecognized (must be of type ConfigMap): yaml: control characters are not allowed (00)',
    ),
  ],
  [
    'nothing is no Protobuf',
    {
      method: 'POST',
      path: maps,
      headers: { 'content-type': 'application/vnd.orch.protobuf' },
      body: '',
    },
    badRequest(
      'the object provided is unrecognized (must be of type ConfigMap): empty data (<empty>)',
    ),
  ],
  [
    'the status of what is absent is not applied, whatever it is',
    {
      method: 'PATCH',
      path: '/apis/apps/v1/namespaces/default/deployments/absent/status?fieldManager=a',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: '{"kind":"DeleteOptions","apiVersion":"v1"}',
    },
    { status: 404, body: { message: 'deployments.apps "absent" not found' } },
  ],
  [
    'an empty policy is none that there is, and told beside the older option',
    { method: 'DELETE', path: `${maps}/absent?propagationPolicy=&orphanDependents=true` },
    {
      status: 422,
      body: {
        message:
          'DeleteOptions.meta.orch.io "" is invalid: [propagationPolicy: Invalid value: "": orphanDependents and deletionPropagation cannot be both set, ' +
          'propagationPolicy: Unsupported value: "": supported values: "Foreground", "Background", "Orphan", "nil"]',
      },
    },
  ],
  [
    'an action names its object in the body',
    { method: 'POST', path: eviction, body: { kind: 'Eviction', apiVersion: 'policy/v1' } },
    badRequest('name in URL does not match name in Eviction object'),
  ],
  [
    'an action is judged where its namespace is',
    { method: 'POST', path: '/api/v1/namespaces/absent/bindings', body: {} },
    { status: 404, body: { message: 'namespaces "absent" not found' } },
  ],
  [
    'a watch of what is not served has no timeout',
    { path: '/api/v1/namespaces/default/nothing?watch=1&timeout=x' },
    status404,
  ],
  [
    'a watch of one object has one',
    { path: `${maps}/a?watch=1&timeout=x` },
    badRequest('invalid timeout specified in the request URL - time: invalid duration "x"'),
  ],
  ['an encoded slash ends no schema document', { path: '/openapi/v3%2F' }, { status: 404 }],
  [
    'a schema document is refused before its hash is compared',
    { path: '/openapi/v3/api/v1?hash=x', headers: { accept: 'text/html' } },
    { status: 406 },
  ],
  ...(['a/b/c', ';', 'json'] as const).map((accept): Script[number] => [
    `a client that accepts ${accept} gets an empty schema document`,
    { path: '/openapi/v3/api/v1', headers: { accept } },
    { status: 200, body: '' },
  ]),
  ['and none of version 2', { path: '/openapi/v2', headers: { accept: ';' } }, { status: 406 }],
  [
    'fields that a scale does not have are told also where there is none',
    {
      method: 'PUT',
      path: `/apis/apps/v1${scale}`,
      body: { data: 1, metadata: { name: 'absent' } },
    },
    { status: 404, headers: { warning: '299 - "unknown field \\"data\\""' } },
  ],
  ...unchecked,
]

tests.before(async () => {
  const metadata = { name: 'there' }
  await wire.request({ method: 'POST', path: maps, body: { metadata } })
})

for (const [fact, asked, expected] of script) {
  tests(fact, async () => fits(await wire.request(asked), expected))
}

tests('an empty table of a kind without columns has no rows', async () => {
  const accept = 'application/json;as=Table;g=meta.orch.io;v=v1'
  const rows = async (path: string) =>
    ((await wire.request({ path, headers: { accept } })).json() as { rows: unknown }).rows
  assert.is(await rows('/api/v1/namespaces/default/limitranges'), null)
  assert.equal(await rows('/api/v1/namespaces/default/pods'), [])
})

tests('an error for a client that accepts none of its forms is indented', async () => {
  const reply = await wire.request({ path: `${maps}/absent`, headers: { accept: 'text/html' } })
  assert.match(reply.text, /^{\n {2}"kind": "Status"/)
})

tests('a single check is a word, and a document that is not there says nothing', async () => {
  const ping = await wire.request({ path: '/livez/ping' })
  assert.equal([ping.text, ping.headers['x-content-type-options']], ['ok', undefined])
  const all = await wire.request({ path: '/livez' })
  assert.is(all.headers['x-content-type-options'], 'nosniff')
  const document = await wire.request({ path: '/openapi/v3/apis/nothing/v1' })
  assert.equal([document.status, document.text], [404, ''])
  assert.is(document.headers['content-type'], undefined)
})

tests.run()
