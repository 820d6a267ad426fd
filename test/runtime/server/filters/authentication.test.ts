/** Who may make a request: authenticators and authorizers in front of every verb. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { platform } from '../../../../generated/platform.ts'
import { createAuditor } from '../../../../runtime/audit/audit.ts'
import type {
  AuthenticationResult,
  AuthorizationAttributes,
  AuthorizationResult,
} from '../../../../runtime/auth/auth.ts'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../../runtime/observe/observe.ts'
import { contains, fits, startTestServer, type TestRequest } from '../harness.ts'

const test = suite('runtime/server: authentication and authorization')

const maps = '/api/v1/namespaces/default/configmaps'

/** Users by their token; what begins with `late` is told later. */
function authenticate(token: string): AuthenticationResult {
  if (token === '') return undefined
  if (token.endsWith('broken')) throw new Error('no answer from the webhook')
  if (token.endsWith('stolen')) return { refused: 'the token is on a list' }
  return { user: { username: token, groups: ['dev'] } }
}

const questions: AuthorizationAttributes[] = []
let verdict: () => AuthorizationResult | Promise<AuthorizationResult> = () => ({
  decision: 'Allow',
})
const events: Readonly<Record<string, unknown>>[] = []
const wire = await startTestServer({
  authenticator: {
    authenticate({ headers }) {
      const token = String(headers.authorization ?? '')
      if (!token.startsWith('late')) return authenticate(token)
      return Promise.resolve().then(() => authenticate(token))
    },
  },
  authorizer: {
    authorize(attributes) {
      questions.push(attributes)
      return verdict()
    },
  },
  auditor: createAuditor(
    {
      policy: { rules: [{ level: 'Metadata', omitStages: ['RequestReceived'] }] },
      log: { output: (line) => void events.push(JSON.parse(line)) },
    },
    { platform, clock: systemClock, log: silentLog },
  ),
})
test.after(() => wire.stop())
test.before.each(() => {
  questions.length = 0
  events.length = 0
  verdict = () => ({ decision: 'Allow', reason: 'by rule 7' })
})

for (const token of ['stolen', 'broken', 'late stolen', 'late broken', '']) {
  test(`"${token}": without a user a request is answered 401, and audited`, async () => {
    const headers: Record<string, string> = token === '' ? {} : { authorization: token }
    fits(await wire.request({ path: maps, headers }), {
      status: 401,
      body: { kind: 'Status', reason: 'Unauthorized', message: 'Unauthorized', code: 401 },
    })
    assert.equal(questions, [])
    contains(
      events,
      [{ user: { username: 'system:anonymous' }, responseStatus: { code: 401 } }],
      '',
    )
  })
}

const json = { 'content-type': 'application/json' }
const asked: readonly (readonly [TestRequest, Partial<AuthorizationAttributes>])[] = [
  [{ path: maps }, { verb: 'list' }],
  [{ path: `${maps}/a` }, { verb: 'get', name: 'a' }],
  [
    { path: `${maps}/a`, method: 'HEAD' },
    { verb: 'get', name: 'a' },
  ],
  [{ path: `${maps}?watch=1&timeoutSeconds=1` }, { verb: 'watch' }],
  [{ path: maps, method: 'POST', headers: json, body: {} }, { verb: 'create' }],
  [
    { path: `${maps}/a`, method: 'PUT', headers: json, body: {} },
    { verb: 'update', name: 'a' },
  ],
  [
    { path: `${maps}/a`, method: 'PATCH', body: {} },
    { verb: 'patch', name: 'a' },
  ],
  [
    { path: `${maps}/a`, method: 'DELETE' },
    { verb: 'delete', name: 'a' },
  ],
  [{ path: maps, method: 'DELETE' }, { verb: 'deletecollection' }],
]
for (const [request, expected] of asked) {
  test(`${request.method ?? 'GET'} ${request.path}: the authorizer is asked, and its refusal is a 403`, async () => {
    verdict = async () => ({ decision: 'NoOpinion', reason: 'no rule matches' })
    const headers = { ...request.headers, authorization: 'jane' }
    const reply = await wire.request({ ...request, headers })
    assert.is(reply.status, 403)
    if (request.method !== 'HEAD') contains(reply.json(), { reason: 'Forbidden' }, '')
    assert.equal(questions, [
      {
        user: { username: 'jane', groups: ['dev'] },
        verb: '',
        group: '',
        version: 'v1',
        resource: 'configmaps',
        name: '',
        namespace: 'default',
        ...expected,
      },
    ])
    contains(
      events,
      [
        {
          user: { username: 'jane', groups: ['dev'] },
          annotations: {
            'authorization.orch.io/decision': 'forbid',
            'authorization.orch.io/reason': 'no rule matches',
          },
        },
      ],
      '',
    )
  })
}

test('a path that is no resource is authorized by its path', async () => {
  fits(await wire.request({ path: '/version', headers: { authorization: 'late jane' } }), {
    status: 200,
  })
  contains(questions, [{ verb: 'get', path: '/version', resource: '', group: '' }], '')
})

test('what is allowed goes on, and the audit event says why', async () => {
  const headers = { ...json, authorization: 'jane' }
  const body = { metadata: { name: 'made' } }
  fits(await wire.request({ path: maps, method: 'POST', headers, body }), { status: 201 })
  contains(
    events,
    [{ annotations: { 'authorization.orch.io/decision': 'allow' }, responseStatus: { code: 201 } }],
    '',
  )
})

test('an authorizer that cannot tell is an InternalError', async () => {
  verdict = () => Promise.reject(new Error('no answer'))
  fits(await wire.request({ path: maps, headers: { authorization: 'jane' } }), { status: 500 })
})

test('requests of the same process are those of the server, whatever the authenticator says', async () => {
  const { status } = await wire.server.dispatch({ method: 'GET', path: maps, headers: {} })
  assert.is(status, 200)
  contains(questions, [{ user: { username: 'system:apiserver' } }], '')
})

test.run()
