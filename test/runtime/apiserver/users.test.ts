/** Users: every verb is authorized for the user that the authenticator names (Z-02), and admission and audit see the same one. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import type { AuthorizationAttributes, UserInfo } from '../../../runtime/auth/auth.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { policyGates } from '../../support/policies.ts'

interface Context {
  readonly server: RunningApiServer
  readonly questions: AuthorizationAttributes[]
  readonly events: Record<string, unknown>[]
}

const test = suite<Context>('runtime/apiserver: users')

const jane: UserInfo = {
  username: 'jane',
  uid: '42',
  groups: ['dev', 'system:authenticated'],
  extra: { scopes: ['a', 'b'] },
}
const mallory: UserInfo = { username: 'mallory', groups: ['system:authenticated'] }
const unlucky: UserInfo = { username: 'unlucky', groups: [] }
const users = new Map([jane, mallory, unlucky].map((user) => [user.username, user]))

test.before(async (context) => {
  const questions: AuthorizationAttributes[] = []
  const events: Record<string, unknown>[] = []
  const server = await startApiServer({
    scheme,
    storage: { kind: 'memory' },
    clock: systemClock,
    log: silentLog,
    listen: { port: 0 },
    gates: policyGates,
    runtimeConfig: ['api/all=true'],
    authenticator: {
      authenticate({ headers }) {
        const user = users.get(String(headers['x-user'] ?? ''))
        return user === undefined ? { refused: 'a stranger' } : { user }
      },
    },
    authorizer: {
      async authorize(attributes) {
        questions.push(attributes)
        const { username } = attributes.user
        if (username === 'unlucky') throw new Error('the rules cannot be read')
        if (username === 'mallory') return { decision: 'Deny', reason: 'banned' }
        return { decision: 'Allow' }
      },
    },
    audit: {
      policy: { rules: [{ level: 'Metadata', omitStages: ['RequestReceived'] }] },
      log: { output: (line) => void events.push(JSON.parse(line)) },
    },
  })
  Object.assign(context, { server, questions, events })
})
test.before.each(({ questions, events }) => {
  questions.length = 0
  events.length = 0
})
test.after(({ server }) => server?.stop())

async function ask({ server }: Context, user: string, request: string, body: unknown = {}) {
  const [method = '', path = ''] = request.split(' ')
  const json = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const reads = method === 'GET' || method === 'HEAD'
  const response = await fetch(server.url + path, {
    method,
    headers: { 'x-user': user, 'Content-Type': json },
    ...(!reads && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, text }
}

const pods = '/api/v1/namespaces/default/pods'
const deployments = '/apis/apps/v1/namespaces/default/deployments'
const reviews = '/apis/authorization.orch.io/v1/selfsubjectaccessreviews'

/** Each verb, with what it is to the authorizer and how its refusal reads. */
const verbs: readonly (readonly [
  request: string,
  attributes: Partial<AuthorizationAttributes>,
  subject: string,
])[] = [
  [`GET ${pods}`, { verb: 'list' }, 'pods'],
  [`GET ${pods}?watch=1`, { verb: 'watch' }, 'pods'],
  // rights to one name cover a list and a watch of it.
  [`GET ${pods}?fieldSelector=metadata.name=web`, { verb: 'list', name: 'web' }, 'pods "web"'],
  [
    `GET ${pods}?watch=1&fieldSelector=metadata.name%3Dweb,spec.nodeName=a`,
    { verb: 'watch', name: 'web' },
    'pods "web"',
  ],
  [`GET ${pods}?fieldSelector=metadata.name!=web`, { verb: 'list' }, 'pods'],
  [`GET ${pods}/web`, { verb: 'get', name: 'web' }, 'pods "web"'],
  [`POST ${pods}`, { verb: 'create' }, 'pods'],
  [`PUT ${pods}/web`, { verb: 'update', name: 'web' }, 'pods "web"'],
  [`PATCH ${pods}/web`, { verb: 'patch', name: 'web' }, 'pods "web"'],
  [`DELETE ${pods}/web`, { verb: 'delete', name: 'web' }, 'pods "web"'],
  [`DELETE ${pods}`, { verb: 'deletecollection' }, 'pods'],
  [`GET ${pods}/web/status`, { verb: 'get', name: 'web', subresource: 'status' }, 'pods "web"'],
  [`PUT ${pods}/web/status`, { verb: 'update', name: 'web', subresource: 'status' }, 'pods "web"'],
  [
    `POST ${pods}/web/binding`,
    { verb: 'create', name: 'web', subresource: 'binding' },
    'pods "web"',
  ],
  [
    `POST ${pods}/web/eviction`,
    { verb: 'create', name: 'web', subresource: 'eviction' },
    'pods "web"',
  ],
  [
    `PATCH ${deployments}/web/scale`,
    { verb: 'patch', group: 'apps', resource: 'deployments', name: 'web', subresource: 'scale' },
    'deployments.apps "web"',
  ],
]

for (const [request, expected, subject] of verbs) {
  test(`${request}: who may not is refused in the reference's words (E-14)`, async (context) => {
    const { status, text } = await ask(context, 'mallory', request)
    const namespace = 'default'
    const common = { group: '', version: 'v1', resource: 'pods', name: '', namespace, verb: '' }
    const attributes = { ...common, ...expected }
    assert.equal(context.questions, [{ user: mallory, ...attributes }])
    const { verb, group, resource, subresource } = attributes
    const whole = subresource ? `${resource}/${subresource}` : resource
    assert.is(status, 403)
    assert.is(
      JSON.parse(text).message,
      `${subject} is forbidden: User "mallory" cannot ${verb} resource "${whole}" in API group "${group}" in the namespace "default": banned`,
    )
  })

  test(`${request}: a stranger is not known, and the authorizer is not asked (E-13)`, async (context) => {
    const { status, text } = await ask(context, 'eve', request)
    assert.equal([status, JSON.parse(text).message], [401, 'Unauthorized'])
    assert.equal(context.questions, [])
  })
}

const paths = ['/version', '/metrics', '/readyz', '/apis', '/openapi/v3', '/nowhere']
for (const path of paths) {
  test(`GET ${path}: a path that is no resource is authorized, too (A5.4, E-15)`, async (context) => {
    const { status, text } = await ask(context, 'mallory', `GET ${path}`)
    const message = `forbidden: User "mallory" cannot get path "${path}": banned`
    assert.equal([status, JSON.parse(text).message], [403, message])
    assert.is((await ask(context, 'eve', `GET ${path}`)).status, 401)
  })
}

test('an authorizer that fails is an error of the server, and allows nothing (Z-20)', async (context) => {
  for (const request of [`GET ${pods}`, `POST ${pods}`, 'GET /version']) {
    const { status, text } = await ask(context, 'unlucky', request)
    assert.equal([status, JSON.parse(text).reason], [500, 'InternalError'])
  }
})

test('at the cluster scope a refusal names no namespace (E-14)', async (context) => {
  const { text } = await ask(context, 'mallory', `POST ${reviews}`)
  assert.is(
    JSON.parse(text).message,
    'selfsubjectaccessreviews.authorization.orch.io is forbidden: User "mallory" cannot create resource "selfsubjectaccessreviews" in API group "authorization.orch.io" at the cluster scope: banned',
  )
})

test('admission, reviews and audit see the user that the authenticator names', async (context) => {
  const { events } = context
  const group = '/apis/admissionregistration.orch.io/v1beta1'
  const policy = {
    metadata: { name: 'whoami' },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] },
        ],
      },
      validations: [
        {
          expression: 'false',
          messageExpression:
            "request.userInfo.username + ' ' + request.userInfo.uid + ' ' + request.userInfo.groups[0] + ' ' + request.userInfo.extra['scopes'][1]",
        },
      ],
    },
  }
  const binding = {
    metadata: { name: 'whoami' },
    spec: { policyName: 'whoami', validationActions: ['Deny'] },
  }
  const policies = `${group}/validatingadmissionpolicies`
  assert.is((await ask(context, 'jane', `POST ${policies}`, policy)).status, 201)
  assert.is(
    (await ask(context, 'jane', `POST ${policies.replace('policies', 'policybindings')}`, binding))
      .status,
    201,
  )
  events.length = 0
  const refused = await ask(context, 'jane', 'POST /api/v1/namespaces/default/configmaps', {
    metadata: { name: 'mine' },
  })
  assert.match(refused.text, 'jane 42 dev b')
  const review = await ask(
    context,
    'jane',
    'POST /apis/authentication.orch.io/v1/selfsubjectreviews',
  )
  assert.equal(JSON.parse(review.text).status.userInfo, jane)
  assert.equal(
    events.map(({ user }) => user),
    [jane, jane],
  )
})

//
test('a certificate request says who made it, whatever it says itself', async (context) => {
  const path = '/apis/certificates.orch.io/v1/certificatesigningrequests'
  const forged = { username: 'root', uid: '0', groups: ['system:masters'], extra: { a: ['b'] } }
  const request =
    'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISE1IQUNBUUF3RGpFTU1Bb0dBMVVFQXd3RFlXNXVNRmt3RXdZSEtvWkl6ajBDQVFZSUtvWkl6ajBEQVFjRApRZ0FFcS9oUUdkTlVsbCtWTWU5Zkkrd1A4RmxGdVl3NVZVNmlrNUNjOS9xLzVwMWo3eE50Tm5TTEZCcko4SGpKCk9Ld2VXTDN6K2hHcmV3ZWQ2L2JZYS9lVWM2QUFNQW9HQ0NxR1NNNDlCQU1DQTBjQU1FUUNJR1UzSFk5RmpvdWcKais3RTZKMU56OTRzRHFOVkR4bGJFS0JlajA4UHVkcXJBaUFKU2VQaHorUzJDNDNKbEF2MHZGbW9vazhodlVaUgpMNDB1SENIQk9STGdVZz09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo='
  const body = {
    metadata: { name: 'of-jane' },
    spec: { request, signerName: 'example.com/ca', usages: ['client auth'], ...forged },
  }
  const { status, text } = await ask(context, 'jane', `POST ${path}`, body)
  assert.is(status, 201, text)
  const { spec } = JSON.parse(text) as { readonly spec: object }
  assert.equal(spec, { request, signerName: 'example.com/ca', usages: ['client auth'], ...jane })
})

test.run()
