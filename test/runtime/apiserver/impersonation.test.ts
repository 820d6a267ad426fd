/** Impersonation (N-14): who may act as whom, what the rest of the server sees, and what the audit log keeps. */
import { request as httpRequest } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import type { AuthorizationAttributes } from '../../../runtime/auth/auth.ts'
import { parseStaticTokens } from '../../../runtime/auth/auth.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'

const test = suite('runtime/apiserver: impersonation')

const questions: AuthorizationAttributes[] = []
const events: AuditEvent[] = []
const seen: Record<string, unknown>[] = []
let server: RunningApiServer

interface AuditEvent {
  readonly user: { readonly username: string }
  readonly impersonatedUser?: unknown
  readonly responseStatus: { readonly code: number }
}

test.before(async () => {
  server = await startApiServer({
    scheme,
    storage: { kind: 'memory' },
    clock: systemClock,
    log: silentLog,
    listen: { port: 0 },
    authentication: {
      staticTokens: parseStaticTokens('a,admin,1\nm,mallory,2\nu,unlucky,3\n').users,
    },
    authorizer: {
      authorize(attributes) {
        questions.push(attributes)
        const { user, verb, name } = attributes
        if (verb !== 'impersonate') return { decision: 'Allow' }
        if (user.username === 'unlucky') throw new Error('the rules cannot be read')
        if (user.username === 'mallory') return { decision: 'NoOpinion', reason: 'no rule' }
        return name === 'forbidden' ? { decision: 'Deny' } : { decision: 'Allow' }
      },
    },
    use: [
      async ({ headers }, next) => {
        seen.push(headers)
        await next()
      },
    ],
    audit: {
      policy: { rules: [{ level: 'Metadata', omitStages: ['RequestReceived'] }] },
      log: { output: (line) => void events.push(JSON.parse(line)) },
    },
  })
})
test.before.each(() => {
  questions.length = 0
  events.length = 0
  seen.length = 0
})
test.after(() => server?.stop())

type Headers = Record<string, string | string[]>

/** Sends a header with several values as several lines, which fetch would join. */
function whoami(headers: Headers, token = 'a'): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const path = '/apis/authentication.orch.io/v1/selfsubjectreviews'
    const all = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers }
    const sent = httpRequest(
      server.url + path,
      { method: 'POST', headers: all },
      async (response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve({ status: response.statusCode ?? 0, text })
      },
    )
    sent.on('error', reject)
    sent.end('{}')
  })
}

async function userOf(headers: Headers): Promise<unknown> {
  const { status, text } = await whoami(headers)
  assert.is(status, 201, text)
  return JSON.parse(text).status.userInfo
}

test('a user is impersonated with groups, uid and further facts', async () => {
  const user = await userOf({
    'Impersonate-User': 'jane',
    'Impersonate-Group': ['cn=dev, ou=shop', 'ops'],
    'Impersonate-Uid': '42',
    'Impersonate-Extra-Scopes': ['view', 'edit'],
    'Impersonate-Extra-acme.io%2Fteam': 'blue',
  })
  assert.equal(user, {
    username: 'jane',
    uid: '42',
    groups: ['cn=dev, ou=shop', 'ops', 'system:authenticated'],
    extra: { scopes: ['view', 'edit'], 'acme.io/team': ['blue'] },
  })
  const asked = questions
    .filter(({ verb }) => verb === 'impersonate')
    .map(({ group, resource, subresource, name }) => [group, resource, subresource, name])
  const identity = 'authentication.orch.io'
  assert.equal(asked, [
    ['', 'users', undefined, 'jane'],
    ['', 'groups', undefined, 'cn=dev, ou=shop'],
    ['', 'groups', undefined, 'ops'],
    [identity, 'userextras', 'scopes', 'view'],
    [identity, 'userextras', 'scopes', 'edit'],
    [identity, 'userextras', 'acme.io/team', 'blue'],
    [identity, 'uids', undefined, '42'],
  ])
  assert.is(questions.at(-1)?.user.username, 'jane')
})

test('a service account is one, with its groups unless others are named', async () => {
  const username = 'system:serviceaccount:shop:robot'
  assert.equal(await userOf({ 'Impersonate-User': username }), {
    username,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
  })
  const [{ resource, namespace, name } = {}] = questions as Partial<AuthorizationAttributes>[]
  assert.equal([resource, namespace, name], ['serviceaccounts', 'shop', 'robot'])
  assert.equal(await userOf({ 'Impersonate-User': username, 'Impersonate-Group': 'x' }), {
    username,
    groups: ['x', 'system:authenticated'],
  })
})

test('the group of authenticated users is added unless the request says otherwise', async () => {
  const groupsOf = async (headers: Headers) =>
    ((await userOf(headers)) as { groups: unknown }).groups
  const anonymous = { 'Impersonate-User': 'system:anonymous' }
  assert.equal(await groupsOf(anonymous), ['system:unauthenticated'])
  const unauthenticated = {
    'Impersonate-User': 'jane',
    'Impersonate-Group': 'system:unauthenticated',
  }
  assert.equal(await groupsOf(unauthenticated), ['system:unauthenticated'])
  const named = { 'Impersonate-User': 'jane', 'Impersonate-Group': 'system:authenticated' }
  assert.equal(await groupsOf(named), ['system:authenticated'])
})

test('without a right to every part, nothing is done', async () => {
  const mallory = await whoami({ 'Impersonate-User': 'jane' }, 'm')
  assert.is(mallory.status, 403)
  assert.is(
    JSON.parse(mallory.text).message,
    'users "jane" is forbidden: User "mallory" cannot impersonate resource "users" in API group "" at the cluster scope: no rule',
  )
  const part = await whoami({ 'Impersonate-User': 'jane', 'Impersonate-Extra-Scopes': 'forbidden' })
  assert.is(
    JSON.parse(part.text).message,
    'userextras.authentication.orch.io "forbidden" is forbidden: User "admin" cannot impersonate resource "userextras/scopes" in API group "authentication.orch.io" at the cluster scope',
  )
  assert.is((await whoami({ 'Impersonate-User': 'jane' }, 'u')).status, 403)
  assert.equal(seen, [])
})

test('parts of a user without a user are an error', async () => {
  const wrong: readonly (readonly [Headers, string])[] = [
    [{ 'Impersonate-Group': ['x', 'y'] }, '{Group  x    } {Group  y    }'],
    [{ 'Impersonate-Uid': '4' }, '{UID  4  authentication.orch.io/v1  }'],
    [{ 'Impersonate-Extra-a': '<4>' }, '{UserExtra  &lt;4&gt;  authentication.orch.io/v1  a}'],
  ]
  for (const [headers, parts] of wrong) {
    const { status, text } = await whoami(headers)
    assert.is(status, 500)
    assert.match(text, `requested [${parts}] without impersonating a user`)
  }
})

test('a header that names nobody impersonates nobody', async () => {
  const user = (await userOf({ 'Impersonate-User': '' })) as { username: string }
  assert.is(user.username, 'admin')
})

test('bad credentials stay 401, whoever is to be impersonated', async () => {
  assert.is((await whoami({ 'Impersonate-User': 'jane' }, 'nonsense')).status, 401)
  assert.equal(questions, [])
})

test('what follows sees neither the headers nor the credentials', async () => {
  await userOf({ 'Impersonate-User': 'jane', 'Impersonate-Extra-Scopes': 'x' })
  const names = Object.keys(seen[0] ?? {})
  assert.equal(
    names.filter((name) => name.startsWith('impersonate') || name === 'authorization'),
    [],
  )
})

test('the audit log has both users, and a refusal one', async () => {
  await userOf({ 'Impersonate-User': 'jane', 'Impersonate-Group': 'dev' })
  await whoami({ 'Impersonate-User': 'jane' }, 'm')
  const users = events.map(({ user, impersonatedUser, responseStatus }) => [
    user.username,
    impersonatedUser,
    responseStatus.code,
  ])
  assert.equal(users, [
    ['admin', { username: 'jane', groups: ['dev', 'system:authenticated'] }, 201],
    ['mallory', undefined, 403],
  ])
})

test.run()
