/** Bearer tokens in headers. N-02 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type AuthenticationResult,
  bearerTokenAuthenticator,
  parseStaticTokens,
  staticTokenAuthenticator,
} from '../../../../runtime/auth/auth.ts'

const test = suite('runtime/auth: bearer tokens')

const { users } = parseStaticTokens('one,ann,1\ntwo,bob,2\n')
const { authenticate } = bearerTokenAuthenticator(staticTokenAuthenticator(users), [])

function told(authorization: string | undefined, peer: object = {}): unknown {
  const headers = authorization === undefined ? {} : { authorization }
  const result = authenticate({ method: 'GET', url: '/', headers, peer }) as AuthenticationResult
  return result === undefined ? undefined : 'user' in result ? result.user.username : result.refused
}

const cases: readonly (readonly [header: string | undefined, told: string | undefined])[] = [
  ['Bearer one', 'ann'],
  ['bearer two', 'bob'],
  [' BEARER one more', 'ann'],
  ['Bearer three', 'invalid bearer token'],
  ['Bearer', undefined],
  ['Bearer ', undefined],
  ['Basic one', undefined],
  ['', undefined],
  [undefined, undefined],
]

for (const [header, want] of cases) {
  test(`${JSON.stringify(header)} ${want === undefined ? 'is no token' : `means ${want}`}`, () => {
    assert.is(told(header), want)
  })
}

test('each request of a connection is that of its own token, whatever came before', () => {
  const connection = {}
  for (const [header, want] of [...cases, ...cases, ...cases.toReversed()]) {
    assert.is(told(header, connection), want, header ?? 'no header')
  }
})

test.run()
