/** Requests as another server gets them: who asks, and nothing else by which a client could act. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  answeredHeaders,
  goesInCircle,
  type PassedRequest,
  passedHeaders,
  userHeaders,
} from '../../../runtime/aggregator/identity-headers.ts'

const test = suite('runtime/aggregator: headers')
const passing = { user: { username: 'ann', groups: [] }, auditId: 'id', host: 'lights:443' }

function request(headers: PassedRequest['headers']): PassedRequest {
  return { method: 'GET', url: '/apis/a/v1?x=1', headers, async *body() {} }
}

const names = (headers: PassedRequest['headers']) =>
  Object.keys(passedHeaders(request(headers), passing)).filter((name) => name in headers)

const staying: readonly (readonly [string, PassedRequest['headers']])[] = [
  ['credentials', { authorization: 'Bearer x', 'proxy-authorization': 'Basic x' }],
  ['what a client says of itself', { 'x-remote-extra-scope': 'all', 'impersonate-user': 'root' }],
  ['what concerns the connection', { connection: 'x-own', 'x-own': '1', te: 'trailers' }],
  ['what the server answers by itself', { expect: '100-continue', 'transfer-encoding': 'chunked' }],
]
for (const [what, headers] of staying) {
  test(`${what} is not passed on`, () => assert.equal(names(headers), []))
}

test('everything else is', () => {
  const headers = { accept: 'application/json', cookie: 'a=b', 'x-remote-address': 'kept' }
  assert.equal(names(headers), Object.keys(headers))
})

test('the user of the request stands in place of any that the client named', () => {
  const { 'x-remote-user': user, 'x-remote-group': group } = passedHeaders(
    request({ 'x-remote-user': 'root', 'x-remote-group': 'system:masters' }),
    passing,
  )
  assert.equal([user, group], ['ann', undefined])
})

test('further facts of a user are headers, whose names hold any key', () => {
  const extra = { 'example.com/scope': ['a', 'b'], größe: ['ü'], '100%': ['yes'] }
  assert.equal(userHeaders({ username: 'ann', groups: ['g', 'h'], extra }), {
    'x-remote-user': 'ann',
    'x-remote-group': ['g', 'h'],
    'x-remote-extra-example.com%2fscope': ['a', 'b'],
    'x-remote-extra-gr%c3%b6%c3%9fe': [Buffer.from('ü').toString('latin1')],
    'x-remote-extra-100%25': ['yes'],
  })
})

for (const username of ['a\r\nX-Remote-Group: system:masters', 'a\u0000', ' admin', 'admin\t']) {
  test(`a user called ${JSON.stringify(username)} cannot be passed on as another one`, () => {
    const failing = () => userHeaders({ username, groups: [] })
    assert.throws(failing, 'net/http: invalid header field value for "X-Remote-User"')
    assert.throws(() => userHeaders({ username: 'ann', groups: [username] }), '"X-Remote-Group"')
  })
}

test('an answer keeps its headers by their usual names, but for those of the connection', () => {
  const raw = ['CONTENT-type', 'a/b', 'Connection', 'x-own', 'X-Own', '1', 'Warning', 'one']
  const more = ['warning', 'two', 'Audit-Id', 'other', 'X-Kubernetes-Pf-FlowSchema-UID', 'other']
  assert.equal(answeredHeaders([...raw, ...more]), {
    'Content-Type': 'a/b',
    Warning: ['one', 'two'],
  })
})

test('a request that passed many servers goes in a circle', () => {
  const hops = (count: number) => ({ 'x-forwarded-for': Array(count).fill('10.0.0.1').join(', ') })
  assert.equal(
    [15, 16].map((count) => goesInCircle(request(hops(count)))),
    [false, true],
  )
})

test.run()
