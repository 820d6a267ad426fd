/** What bodies of patches and deletions that cannot be read are told: as public servers tell it, found by comparing with one. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fits, type Script, startTestServer } from '../harness.ts'

const tests = suite('runtime/server: odd bodies')
const wire = await startTestServer({})
tests.after(() => wire.stop())

const maps = '/api/v1/namespaces/default/configmaps'

tests.before(async () => {
  await wire.request({ method: 'POST', path: maps, body: { metadata: { name: 'a' } } })
})

const badRequest = (message: string) => ({ status: 400, body: { reason: 'BadRequest', message } })
const patch = (type: string, body: string, name = 'a') => ({
  method: 'PATCH',
  path: `${maps}/${name}${type === 'apply-patch+yaml' ? '?fieldManager=m' : ''}`,
  headers: { 'content-type': `application/${type}` },
  body,
})
const [json, merge, strategic, apply] = [
  'json-patch+json',
  'merge-patch+json',
  'strategic-merge-patch+json',
  'apply-patch+yaml',
]
const remove = (body: string, type = 'application/json') => ({
  method: 'DELETE',
  path: `${maps}/absent`,
  headers: { 'content-type': type },
  body,
})
const invalidPatch = (why: string) => ({ status: 422, body: { message: new RegExp(`${why}$`) } })
const childPods =
  '299 - "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"'
const noJson = 'unexpected end of JSON input'
const headless = "couldn't get version/kind; json parse error: "

const script: Script = [
  ['a patch is half an object', patch(merge, '{'), badRequest(`error decoding patch: ${noJson}`)],
  ['a patch is empty', patch(json, ''), badRequest(`error decoding patch: ${noJson}`)],
  [
    'a patch is two values',
    patch(merge, '{"a":1}x'),
    badRequest("error decoding patch: invalid character 'x' after top-level value"),
  ],
  ['a strategic patch is not called one', patch(strategic, '{'), badRequest(noJson)],
  ['a patch that cannot be read needs an object', patch(merge, '{', 'absent'), { status: 404 }],
  ['so do operations of a wrong type', patch(json, '{}', 'absent'), { status: 404 }],
  [
    'a strategic patch may name any type',
    patch(strategic, '{"kind":"x","apiVersion":"a/b/c"}'),
    { status: 200 },
  ],
  [
    'that type is a text',
    patch(strategic, '{"kind":1}'),
    invalidPatch('cannot convert int64 to string'),
  ],
  [
    'a merge patch makes another kind',
    patch(merge, '{"kind":"Secret"}'),
    invalidPatch('converting \\(v1.Secret\\) to \\(core.ConfigMap\\): unknown conversion'),
  ],
  [
    'a merge patch makes no kind',
    patch(merge, '{"kind":"x"}'),
    invalidPatch(
      'no kind "x" is registered for version "v1" in scheme "pkg/runtime/scheme.go:100"',
    ),
  ],
  [
    'a merge patch makes a type that is no text',
    patch(merge, '{"kind":[]}'),
    invalidPatch(
      `${headless}json: cannot unmarshal array into Go struct field .kind of type string`,
    ),
  ],
  [
    'a merge patch makes no version',
    patch(merge, '{"apiVersion":"a/b/c"}'),
    invalidPatch('unexpected GroupVersion string: a/b/c'),
  ],
  ['an apply has a type', patch(apply, '{}'), badRequest('invalid object type: /, Kind=')],
  ['an empty apply has none', patch(apply, ''), badRequest('invalid object type: /, Kind=')],
  [
    'an apply has the type of its path',
    patch(apply, '{"apiVersion":"apps/v1","kind":"x"}'),
    badRequest('invalid object type: apps/v1, Kind=x'),
  ],
  [
    'an empty group is none',
    patch(apply, '{"apiVersion":"/v1","kind":"ConfigMap"}'),
    { status: 200 },
  ],
  [
    'an apply is an object',
    patch(apply, '[]'),
    badRequest(
      'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ),
  ],
  [
    'an apply is YAML',
    patch(apply, 'a: ['),
    {
      status: 400,
      body: { message: /^error decoding YAML: error converting YAML to JSON: yaml: line 1: / },
    },
  ],
  [
    'a version has one slash',
    { method: 'POST', path: maps, body: '{"apiVersion":"a/b/c"}' },
    badRequest(
      'the object provided is unrecognized (must be of type ConfigMap): unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})',
    ),
  ],
  [
    'a replaced object says its name',
    { method: 'PUT', path: `${maps}/a`, body: {} },
    badRequest('the name of the object (a based on URL) was undeterminable: name must be provided'),
  ],
  [
    'a type before a parameter is there',
    { method: 'PUT', path: `${maps}/a`, headers: { 'content-type': ';' }, body: '{}' },
    { status: 415 },
  ],
  ['options are JSON', remove('{'), badRequest(`${headless}${noJson}`)],
  [
    'options are an object',
    remove('1'),
    {
      status: 400,
      body: {
        message:
          /^couldn't get version\/kind; json parse error: json: cannot unmarshal number into Go value of type struct/,
      },
    },
  ],
  ['options may be null', remove('null'), { status: 404 }],
  ['options may have further fields', remove('{"unknown":1}'), { status: 404 }],
  [
    'options may be of any version',
    remove('{"kind":"DeleteOptions","apiVersion":"v9"}'),
    { status: 404 },
  ],
  [
    'options are not another kind',
    remove('{"kind":"ConfigMap","apiVersion":"v1"}'),
    badRequest(
      'no kind "ConfigMap" is registered for version "v1" in scheme "pkg/runtime/scheme.go:100"',
    ),
  ],
  [
    'a kind without a version is looked for beside the options',
    remove('{"kind":"x"}'),
    badRequest(
      'no kind "x" is registered for version "meta.orch.io/v1" in scheme "pkg/runtime/scheme.go:100"',
    ),
  ],
  [
    'seconds are a number',
    remove('{"gracePeriodSeconds":"x"}'),
    badRequest(
      'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    ),
  ],
  [
    'seconds have no fraction',
    remove('{"gracePeriodSeconds":1.0}'),
    badRequest(
      'json: cannot unmarshal number 1.0 into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    ),
  ],
  [
    'a policy is a text',
    remove('{"propagationPolicy":1}'),
    badRequest(
      'json: cannot unmarshal number into Go struct field DeleteOptions.propagationPolicy of type v1.DeletionPropagation',
    ),
  ],
  [
    'a precondition is a text',
    remove('preconditions: {uid: 1}', 'application/yaml'),
    badRequest(
      'json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID',
    ),
  ],
  [
    'what has no namespace can be selected by it',
    { path: '/api/v1/persistentvolumes?fieldSelector=metadata.namespace%3Da' },
    { status: 200, body: { items: [] } },
  ],
  [
    'what has fields of its own cannot',
    { path: '/api/v1/nodes?fieldSelector=metadata.namespace%3Da' },
    badRequest('field label not supported: metadata.namespace'),
  ],
  [
    'options are a kind of every version',
    { method: 'PUT', path: `${maps}/a`, body: '{"kind":"DeleteOptions","apiVersion":"v1"}' },
    badRequest(
      'DeleteOptions in version "v1" cannot be handled as a ConfigMap: converting (v1.DeleteOptions) to (core.ConfigMap): unknown conversion',
    ),
  ],
  [
    'Protobuf begins as such',
    {
      method: 'POST',
      path: maps,
      headers: { 'content-type': 'application/vnd.orch.protobuf' },
      body: '{}',
    },
    badRequest(
      'the object provided is unrecognized (must be of type ConfigMap): provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({})',
    ),
  ],
  ['an empty term selects all', { path: `${maps}?fieldSelector=%3D` }, { status: 200 }],
  [
    'a document that is no resource is refused like one',
    { path: '/api/v1', headers: { accept: 'a/b' } },
    { status: 406, body: { message: /^406: Not Acceptable/, details: {} } },
  ],
  [
    'a schema document is refused without a word',
    { path: '/openapi/v3/api/v1', headers: { accept: 'text/plain' } },
    { status: 406, body: '', headers: { vary: 'Accept' } },
  ],
  [
    'the index of schema documents is JSON for all',
    { path: '/openapi/v3', headers: { accept: 'text/plain' } },
    { status: 200, body: { paths: {} } },
  ],
  [
    'an object that is absent is told with what its body has too much',
    { method: 'PUT', path: `${maps}/absent`, body: { metadata: { name: 'absent' }, unknown: 1 } },
    { status: 404, headers: { warning: '299 - "unknown field \\"unknown\\""' } },
  ],
  [
    'so is one of another name',
    { method: 'PUT', path: `${maps}/absent`, body: { metadata: { name: 'b' }, unknown: 1 } },
    { status: 400, headers: { warning: '299 - "unknown field \\"unknown\\""' } },
  ],
  [
    'a deletion of what is absent warns of its dependents',
    { method: 'DELETE', path: '/apis/batch/v1/namespaces/default/jobs/absent' },
    { status: 404, headers: { warning: childPods } },
  ],
  [
    'so does one of none',
    { method: 'DELETE', path: '/apis/batch/v1/namespaces/default/jobs' },
    { status: 200, headers: { warning: childPods } },
  ],
  [
    'the options of a list are looked at before its selectors',
    { path: `${maps}?fieldSelector=x%3Dy&sendInitialEvents=true` },
    { status: 422 },
  ],
  [
    'a list of metadata without objects has null for them',
    {
      path: `${maps}?labelSelector=none`,
      headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.orch.io;v=v1' },
    },
    { status: 200, body: { items: null } },
  ],
  ['slashes at the end do not count', { path: `${maps}/a//` }, { status: 200 }],
]

for (const [fact, asked, expected] of script) {
  tests(fact, async () => fits(await wire.request(asked), expected))
}

const typed: readonly (readonly [text: object, why: string])[] = [
  [{ spec: 1 }, '.spec: expected map, got &{1}'],
  [{ spec: { replicas: 'x' } }, '.spec.replicas: expected numeric (int or float), got string'],
  [
    { spec: { replicas: [] } },
    '.spec.replicas: expected numeric (int or float), got []interface {}',
  ],
  [{ spec: { paused: 'x' } }, '.spec.paused: expected boolean, got &{x}'],
  [{ metadata: { name: 'a', labels: 'x' } }, '.metadata.labels: expected map, got &{x}'],
  [
    { spec: { selector: { matchLabels: { 'a.b/c': { d: [1, 'e'] } } } } },
    '.spec.selector.matchLabels.a.b/c: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"d":[]interface {}{1, "e"}}}',
  ],
  [
    { spec: { template: { spec: { containers: { a: 1 } } } } },
    '.spec.template.spec.containers: expected list, got &{map[a:1]}',
  ],
  [
    { spec: { template: { spec: { containers: [1] } } } },
    '.spec.template.spec.containers: element 0: associative list with keys may not have non-map elements',
  ],
  [
    { spec: { template: { spec: { containers: [{ name: 'a', image: 1 }] } } } },
    '.spec.template.spec.containers[name="a"].image: expected string, got &value.valueUnstructured{Value:1}',
  ],
]

for (const [given, why] of typed) {
  tests(`what is applied has the types of its schema: ${why.slice(0, 60)}`, async () => {
    const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, ...given }
    const asked = {
      ...patch(apply, JSON.stringify(body)),
      path: '/apis/apps/v1/namespaces/default/deployments/a?fieldManager=m',
    }
    const message = `failed to create typed patch object (/a; apps/v1, Kind=Deployment): ${why}`
    fits(await wire.request(asked), { status: 500, body: { message } })
  })
}

tests('a media type asks for an indented answer', async () => {
  const accept = 'application/json;pretty=1'
  const { text } = await wire.request({ path: `${maps}/a`, headers: { accept } })
  assert.match(text, /^{\n {2}"kind": "ConfigMap"/)
})

tests.run()
