import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AccessError } from '../../../../runtime/auth/auth.ts'
import { StatusError } from '../../../../runtime/kernel/errors/status-error.ts'
import {
  failureBody,
  failureHeaders,
  successBody,
  toStatus,
} from '../../../../runtime/server/negotiation/status-body.ts'

const test = suite('runtime/server: Status')

// E-01, R-18
test('a failure has its keys in order and its code', () => {
  const error = new StatusError('NotFound', 'pods "a" not found', {
    details: { kind: 'pods', name: 'a' },
  })
  assert.is(
    JSON.stringify(failureBody(error)),
    '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"pods \\"a\\" not found",' +
      '"reason":"NotFound","details":{"name":"a","kind":"pods"},"code":404}',
  )
})

// E-18
test('an unclassified failure has no reason', () => {
  assert.not('reason' in failureBody(new StatusError('', 'raw')))
  assert.is(failureBody(new StatusError('', 'raw')).code, 500)
})

// E-12, L-05
test('an expired list carries the token to go on with', () => {
  const error = new StatusError('Expired', 'too old', { continueToken: 'abc' })
  assert.equal(failureBody(error).metadata, { continue: 'abc' })
  assert.is(failureBody(error).code, 410)
})

//
test('a success has details and no code', () => {
  assert.equal(successBody({ name: 'a', group: '', kind: 'pods', uid: 'u' }), {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name: 'a', kind: 'pods', uid: 'u' },
  })
})

// E-17
test('what is no StatusError is reported, and the caller learns nothing of it', () => {
  const bugs: unknown[] = []
  const bug = new Error('password=secret')
  const status = toStatus(bug, 'id-1', (one) => bugs.push(one))
  assert.equal(bugs, [bug])
  assert.is(status.code, 500)
  assert.match(status.message, /^Internal error occurred: .*id-1/)
  assert.is(status.details?.causes?.[0]?.reason, 'InternalError')
  assert.not.match(JSON.stringify(failureBody(status)), 'secret')
})

// E-16, E-19
test('a failure says in headers when to try again, and of a refused request that it is no page', () => {
  const later = new StatusError('Timeout', 'x', { details: { retryAfterSeconds: 1 } })
  assert.equal(failureHeaders(later), { 'Retry-After': '1' })
  assert.equal(failureHeaders(new AccessError('x')), { 'X-Content-Type-Options': 'nosniff' })
  assert.equal(failureHeaders(new StatusError('Forbidden', 'a plugin says no')), {})
})

test.run()
