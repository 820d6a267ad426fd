/** How many requests were authenticated and judged, how that went, and whose they were. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { platform } from '../../../../generated/platform.ts'
import { scheme } from '../../../../generated/scheme.ts'
import type { AuthorizationResult } from '../../../../runtime/auth/auth.ts'
import { createMetrics } from '../../../../runtime/observe/observe.ts'
import { startTestServer } from '../harness.ts'

const test = suite('runtime/server: metrics of authentication and authorization')

const metrics = createMetrics(scheme.metrics ?? [], { release: platform.release })

/** Verdicts by the first word of the user's name. */
function judged(username: string): AuthorizationResult {
  const [word] = username.split('-')
  if (word === 'denied') return { decision: 'Deny' }
  if (word === 'stranger') return { decision: 'NoOpinion' }
  if (word === 'unclear') return { decision: 'NoOpinion', error: new Error('no answer') }
  if (word === 'broken') throw new Error('no answer')
  return { decision: 'Allow' }
}

const wire = await startTestServer({
  metrics,
  authenticator: {
    authenticate({ headers: { authorization } }) {
      if (authorization === undefined) return undefined
      const username = String(authorization)
      if (username === 'away') throw new Error('no answer')
      if (username === 'stolen') return { refused: 'stolen' }
      return { user: { username, groups: [] } }
    },
  },
  authorizer: {
    authorize: ({ user: { username } }) =>
      username.endsWith('-late')
        ? Promise.resolve().then(() => judged(username))
        : judged(username),
  },
})
test.after(() => wire.stop())

/** What was counted, by the name and the label. */
function counted(): Readonly<Record<string, number>> {
  const lines = metrics.text('prometheus').split('\n')
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, label, value] =
        /^(auth\w+?)(?:_seconds_count)?\{\w+="([^"]*)"\} (\d+)$/.exec(line) ?? []
      return name === undefined ? [] : [[`${name} ${label}`, Number(value)]]
    }),
  )
}

const cases: readonly (readonly [user: string | undefined, counted: readonly string[]])[] = [
  [undefined, ['authentication failure']],
  ['stolen', ['authentication error']],
  ['away', ['authentication error']],
  ['ann', ['authentication success', 'user other', 'authorization allowed']],
  ['admin', ['authentication success', 'user admin', 'authorization allowed']],
  ['ann@example.com', ['authentication success', 'user email_id', 'authorization allowed']],
  [
    'system:serviceaccount:orch-system:default',
    [
      'authentication success',
      'user system:serviceaccount:orch-system:default',
      'authorization allowed',
    ],
  ],
  ['denied', ['authentication success', 'user other', 'authorization denied']],
  ['stranger', ['authentication success', 'user other', 'authorization no-opinion']],
  ['unclear', ['authentication success', 'user other', 'authorization error']],
  ['broken', ['authentication success', 'user other', 'authorization error']],
  ['broken-late', ['authentication success', 'user other', 'authorization error']],
  ['denied-late', ['authentication success', 'user other', 'authorization denied']],
]

/** The metrics of a fact: a counter, and a histogram's count beside it. */
const series: Readonly<Record<string, readonly string[]>> = {
  authentication: ['authentication_attempts', 'authentication_duration'],
  authorization: ['authorization_attempts_total', 'authorization_duration'],
  user: ['authenticated_user_requests'],
}

for (const [user, facts] of cases) {
  test(`${user ?? 'a request without a user'} is counted under ${facts.join(', ')}`, async () => {
    const before = counted()
    const headers = user === undefined ? {} : { authorization: user }
    await wire.request({ path: '/api/v1/namespaces', headers })
    const after = counted()
    const grown = Object.keys(after).filter((key) => after[key] !== (before[key] ?? 0))
    const wanted = facts.flatMap((fact) => {
      const [what = '', label] = fact.split(' ')
      return (series[what] ?? []).map((name) => `${name} ${label}`)
    })
    assert.equal(grown.toSorted(), wanted.toSorted())
  })
}

test.run()
