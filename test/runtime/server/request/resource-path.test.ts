import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  resourcePath,
  routeTable,
  segmentsOf,
} from '../../../../runtime/server/request/resource-path.ts'
import { scheme } from '../scheme.ts'

const test = suite('runtime/server: paths')
const routes = routeTable(scheme)

/** `plural[/sub] in namespace: name`, with a leading `watch` for the old prefix. */
function read(path: string): string | undefined {
  const found = resourcePath(routes, segmentsOf(path) ?? [])
  if (found === undefined) return undefined
  const { kind, namespace, name, subresource } = found.target
  const resource = subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`
  const words = [
    found.watch && 'watch',
    resource,
    namespace && `in ${namespace}`,
    name && `: ${name}`,
  ]
  return words.filter(Boolean).join(' ')
}

// A4.1-A4.11, A9.1, R-01
const paths: readonly (readonly [fact: string, path: string, found: string | undefined])[] = [
  ['all namespaces', '/api/v1/pods', 'pods'],
  ['one namespace', '/api/v1/namespaces/default/pods', 'pods in default'],
  ['one object', '/api/v1/namespaces/default/pods/a', 'pods in default : a'],
  ['a subresource', '/api/v1/namespaces/default/pods/a/status', 'pods/status in default : a'],
  ['a cluster-scoped collection', '/api/v1/namespaces', 'namespaces'],
  ['a cluster-scoped object', '/api/v1/namespaces/default', 'namespaces : default'],
  ['its subresource', '/api/v1/namespaces/default/status', 'namespaces/status : default'],
  ['a named group', '/apis/apps/v1/namespaces/x/deployments/web', 'deployments in x : web'],
  ['the old watch prefix', '/api/v1/watch/namespaces/x/pods', 'watch pods in x'],
  [
    'the old watch prefix of one object',
    '/api/v1/watch/namespaces/x/pods/a',
    'watch pods in x : a',
  ],
  ['a trailing slash', '/api/v1/pods/', 'pods'],
  ['an encoded slash separates', '/api/v1/namespaces/x%2Fpods/a', 'pods in x : a'],
  ['an encoded name', '/api/v1/namespaces/x/pods/a%2Eb', 'pods in x : a.b'],
  ['an unknown resource', '/api/v1/widgets', undefined],
  ['an unknown version', '/api/v2/pods', undefined],
  ['an unknown group', '/apis/nope/v1/pods', undefined],
  ['an unknown subresource', '/api/v1/namespaces/x/pods/a/nope', undefined],
  [
    'a subresource that is not served yet',
    '/apis/apps/v1/namespaces/x/deployments/a/scale',
    undefined,
  ],
  ['something below a subresource', '/api/v1/namespaces/x/pods/a/status/b', undefined],
  ['a namespaced object without its namespace', '/api/v1/pods/a', undefined],
  ['a cluster-scoped kind in a namespace', '/api/v1/namespaces/x/namespaces', undefined],
  ['a version alone', '/api/v1', undefined],
  ['names of the prototype', '/api/v1/__proto__', undefined],
  ['a group of the prototype', '/apis/__proto__/constructor/toString', undefined],
]

for (const [fact, path, found] of paths) {
  test(`${fact}: ${path} is ${found ?? 'nothing'}`, () => assert.is(read(path), found))
}

test('a path that cannot be decoded, or with an empty segment, has no segments', () => {
  assert.is(segmentsOf('/api/v1/%zz'), undefined)
  assert.is(segmentsOf('/api//v1'), undefined)
})

test.run()
