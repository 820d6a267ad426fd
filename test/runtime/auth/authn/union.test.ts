/** Authenticators in a union: who decides, and what becomes of errors. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type AuthenticationRequest,
  type AuthenticationResult,
  type Authenticator,
  anonymousAuthenticator,
  anonymousUser,
  unionAuthenticator,
} from '../../../../runtime/auth/auth.ts'

const test = suite('runtime/auth/authn/union')

const request: AuthenticationRequest = { method: 'GET', url: '/api', headers: {} }
const jane = { user: { username: 'jane', groups: ['dev'] } }

function says(result: AuthenticationResult, later = false): Authenticator {
  return { authenticate: () => (later ? Promise.resolve(result) : result) }
}
function fails(text: string, later = false): Authenticator {
  return {
    authenticate() {
      const error = new Error(text)
      if (later) return Promise.reject(error)
      throw error
    },
  }
}
const unreachable = fails('asked after a decision')

for (const later of [false, true]) {
  const how = later ? 'later' : 'at once'

  test(`the first that names a user decides, ${how}`, async () => {
    const named = unionAuthenticator([says(undefined, later), says(jane, later), unreachable])
    assert.equal(await named.authenticate(request), jane)
  })

  test(`refused credentials do no harm to others in the same request (N-01), ${how}`, async () => {
    const refusal = says({ refused: 'expired' }, later)
    const saved = unionAuthenticator([refusal, says(jane, later), unreachable])
    assert.equal(await saved.authenticate(request), jane)
    const alone = unionAuthenticator([refusal, fails('no answer', later), says(undefined, later)])
    assert.equal(await alone.authenticate(request), { refused: 'expired' })
    const both = unionAuthenticator([refusal, says({ refused: 'unknown' }, later)])
    assert.equal(await both.authenticate(request), { refused: 'expired, unknown' })
  })

  test(`with failOnError, a refusal never makes its bearer anonymous, ${how}`, async () => {
    const members = [says({ refused: 'expired' }, later), anonymousAuthenticator]
    const union = unionAuthenticator(members, { failOnError: true })
    assert.equal(await union.authenticate(request), { refused: 'expired' })
  })

  test(`an error is passed over for another member that decides, ${how}`, async () => {
    const union = unionAuthenticator([fails('no answer', later), says(jane, later)])
    assert.equal(await union.authenticate(request), jane)
  })

  test(`errors are thrown together if nobody decides, ${how}`, async () => {
    const union = unionAuthenticator([fails('a', later), says(undefined, later), fails('b', later)])
    try {
      await union.authenticate(request)
      assert.unreachable()
    } catch (error) {
      assert.is((error as Error).message, 'authentication failed: a; b')
    }
  })

  test(`with failOnError, an error never makes its bearer anonymous, ${how}`, async () => {
    const union = unionAuthenticator([fails('a', later), anonymousAuthenticator], {
      failOnError: true,
    })
    try {
      await union.authenticate(request)
      assert.unreachable()
    } catch (error) {
      assert.is((error as Error).message, 'a')
    }
  })

  test(`with failOnError, no opinion goes on to the anonymous user, ${how}`, async () => {
    const union = unionAuthenticator([says(undefined, later), anonymousAuthenticator], {
      failOnError: true,
    })
    assert.equal(await union.authenticate(request), { user: anonymousUser })
  })
}

test('a union of no opinions has none, and waits for nothing', () => {
  assert.is(unionAuthenticator([says(undefined)]).authenticate(request), undefined)
  assert.is(unionAuthenticator([]).authenticate(request), undefined)
})

test.run()
