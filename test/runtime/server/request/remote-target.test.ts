/** Requests for which another server answers: what rights, flow control and audit events take them for. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { RemoteServerMap } from '../../../../runtime/aggregator/aggregator.ts'
import type { HttpRequest } from '../../../../runtime/server/http/request.ts'
import { isRemote, withRemote } from '../../../../runtime/server/request/remote-target.ts'
import { requestInfoOf } from '../../../../runtime/server/request/request-info.ts'

const test = suite('runtime/server: requests to other servers')
const servers = new Map([
  ['apis/a.example.com/v1', { schema: { isPassedOn: true } }],
  ['apis/b.example.com/v1', { schema: { isPassedOn: false } }],
]) as unknown as RemoteServerMap

function told(method: string, url: string): string | undefined {
  const request: HttpRequest = { method, url, headers: {}, async *body() {} }
  const { remote } = withRemote(servers, requestInfoOf(new Map(), request), request)
  if (remote === undefined) return undefined
  const { verb, resource, isLongRunning } = remote
  const { namespace = '-', resource: plural = '-', name = '', subresource = '-' } = resource ?? {}
  const long = isLongRunning ? ' as long as it likes' : ''
  return `${verb} ${namespace} ${plural} ${name || '-'} ${subresource}${long}`
}

const base = '/apis/a.example.com/v1'
const all = `${base}/namespaces/shop/lamps`

const cases: readonly (readonly [string, string, string | undefined])[] = [
  ['GET', base, 'get - - - -'],
  ['GET', `${base}/`, 'get - - - -'],
  ['GET', `${base}/lamps`, 'list - lamps - -'],
  ['GET', all, 'list shop lamps - -'],
  ['HEAD', all, 'list shop lamps - -'],
  ['GET', `${all}?fieldSelector=metadata.name%3Done`, 'list shop lamps one -'],
  ['GET', `${all}?watch=true`, 'watch shop lamps - - as long as it likes'],
  [
    'GET',
    `${all}?watch=1&fieldSelector=metadata.name=one`,
    'watch shop lamps one - as long as it likes',
  ],
  ['GET', `${base}/watch/namespaces/shop/lamps/one`, 'watch shop lamps one - as long as it likes'],
  ['POST', all, 'create shop lamps - -'],
  ['DELETE', all, 'deletecollection shop lamps - -'],
  ['GET', `${all}/one`, 'get shop lamps one -'],
  ['PUT', `${all}/one/status`, 'update shop lamps one status'],
  ['PATCH', `${all}/one`, 'patch shop lamps one -'],
  ['DELETE', `${all}/one`, 'delete shop lamps one -'],
  ['GET', `${all}/one/log?follow=true`, 'get shop lamps one log as long as it likes'],
  ['POST', `${all}/one/exec`, 'create shop lamps one exec as long as it likes'],
  ['GET', '/openapi/v3/apis/a.example.com/v1?hash=1', 'get - - - -'],
  ['GET', '/openapi/v3/apis/b.example.com/v1', undefined],
  ['GET', '/apis/a.example.com', undefined],
  ['GET', '/apis/a.example.com/v2/lamps', undefined],
  ['GET', `${base}x/lamps`, undefined],
  ['GET', `${base}/../../apps/v1/deployments`, undefined],
  ['GET', `${base}/%2e%2e/lamps`, undefined],
  ['GET', `${base}//lamps`, undefined],
  ['GET', '/api/v1/namespaces', undefined],
]
for (const [method, url, wanted] of cases) {
  test(`${method} ${url}: ${wanted ?? 'not one of another server'}`, () => {
    assert.is(told(method, url), wanted)
    assert.is(isRemote(servers, url), wanted !== undefined)
  })
}

test('where there are no other servers, none is asked', () => {
  assert.is(isRemote(undefined, all), false)
})

test.run()
