/** Results about tokens are kept, asked for once, and counted. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { metrics as table } from '../../../../generated/metrics.ts'
import { tokenCacheUses } from '../../../../runtime/apiserver/authentication/token-uses.ts'
import type { AuthenticationResult } from '../../../../runtime/auth/authn/authenticator.ts'
import { cachedTokens } from '../../../../runtime/auth/authn/tokens/cached-tokens.ts'
import { createMetrics } from '../../../../runtime/observe/observe.ts'
import { fakeClock } from '../../../support/clock.ts'

const test = suite('runtime/auth: results about tokens that are kept')

const token = { text: 't', digest: 'd' } as never

test('a token is asked about once, however many wait for it; hits, misses, failures and who waits are counted', async () => {
  const clock = fakeClock()
  const metrics = createMetrics(table, { release: '1.29.0', daemon: 'apiserver' })
  const counted = (name: string, status: string): string | undefined =>
    new RegExp(`^authentication_token_cache_${name}\\{status="${status}"\\} (\\S+)$`, 'm').exec(
      metrics.text('prometheus'),
    )?.[1]
  const answers: { resolve(result: AuthenticationResult): void; reject(error: Error): void }[] = []
  const cached = cachedTokens(
    {
      authenticate: () =>
        new Promise<AuthenticationResult>((resolve, reject) => answers.push({ resolve, reject })),
    },
    { clock, successMs: 1000, failureMs: 1000, uses: tokenCacheUses(metrics, clock) },
  )
  const first = cached.authenticate(token, undefined)
  const second = cached.authenticate(token, undefined)
  assert.is(answers.length, 1)
  assert.equal(
    [counted('active_fetch_count', 'in_flight'), counted('active_fetch_count', 'blocked')],
    ['1', '1'],
  )
  answers[0]?.resolve({ user: { username: 'ann', groups: [] } })
  assert.equal(await first, await second)
  assert.equal(await cached.authenticate(token, undefined), await first)
  assert.equal(
    [
      counted('request_total', 'miss'),
      counted('request_total', 'hit'),
      counted('fetch_total', 'ok'),
    ],
    ['2', '1', '1'],
  )
  assert.equal(
    [counted('active_fetch_count', 'in_flight'), counted('active_fetch_count', 'blocked')],
    ['0', '0'],
  )
  assert.is(counted('request_duration_seconds_count', 'miss'), '2')
  await clock.advance(1001)
  const failing = cached.authenticate(token, undefined)
  answers[1]?.reject(new Error('away'))
  await (failing as Promise<unknown>).then(
    () => assert.unreachable(),
    ({ message }: Error) => assert.is(message, 'away'),
  )
  assert.is(counted('fetch_total', 'error'), '1')
  assert.is(counted('active_fetch_count', 'in_flight'), '0')
})

test.run()
