/** Tokens of issuers of OpenID Connect, and the webhook that reviews tokens (N-17): over real TLS servers that answer well, badly, or not. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import {
  type AuthenticationOptions,
  type RunningApiServer,
  startApiServer,
  type TokenIssuerOptions,
} from '../../../runtime/apiserver/apiserver.ts'
import { jwkOf, publicPartOf, type SigningKey } from '../../../runtime/auth/auth.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { createLogger } from '../../../runtime/observe/observe.ts'
import { type HttpsServer, startHttpsServer } from '../../support/https-server.ts'
import { confusedToken, newSigningKey, part, signedToken } from '../../support/service-accounts.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('runtime/apiserver: token issuers')

const key = newSigningKey('RSA')
const other = newSigningKey('RSA')
let issuer: HttpsServer
let ca: string
let published: readonly SigningKey[] = [key]
let claimed: string | undefined
const asked: string[] = []
const logged: string[] = []
const running: RunningApiServer[] = []

test.before(async () => {
  issuer = await startHttpsServer((_, { path }) => {
    asked.push(path)
    if (path === '/keys') return { keys: published.map((one) => jwkOf(publicPartOf(one))) }
    return { issuer: claimed ?? issuer.url, jwks_uri: `${issuer.url}/keys` }
  })
  ca = Buffer.from(issuer.caBundle, 'base64').toString()
})
test.before.each(() => {
  asked.length = 0
  published = [key]
  claimed = undefined
})
test.after(async () => {
  for (const server of running) await server.stop()
  await issuer.stop()
})

async function serverOf(authentication: AuthenticationOptions): Promise<RunningApiServer> {
  const server = await startApiServer({
    scheme,
    storage: { kind: 'memory' },
    clock: systemClock,
    log: await createLogger({ level: 'debug', write: (line) => void logged.push(line) }),
    listen: { port: 0 },
    authentication,
  })
  running.push(server)
  return server
}

type Mappings = Partial<Omit<TokenIssuerOptions['issuer'], 'issuer'>>

function issuerOf(mappings: Mappings = {}): TokenIssuerOptions {
  return {
    issuer: {
      issuer: { url: issuer.url, audiences: ['orch'], certificateAuthority: ca },
      claimMappings: {
        username: { claim: 'sub', prefix: 'oidc:' },
        groups: { claim: 'groups', prefix: 'oidc:' },
      },
      ...mappings,
    },
  }
}

async function whoami({ url }: RunningApiServer, token: string): Promise<unknown> {
  const response = await fetch(`${url}/apis/authentication.orch.io/v1/selfsubjectreviews`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: '{}',
  })
  if (response.status !== 201) return response.status
  const { status } = (await response.json()) as { status: { userInfo: unknown } }
  return status.userInfo
}

const seconds = (): number => Math.floor(Date.now() / 1000)

function claims(more: object = {}): object {
  const now = seconds()
  return { iss: issuer.url, sub: 'jane', aud: 'orch', exp: now + 600, iat: now, ...more }
}

test('claims become a user, its groups a text or a list; the keys are read once', async () => {
  const server = await serverOf({ issuers: [issuerOf()] })
  assert.equal(asked, [])
  const list = await signedToken(key, claims({ groups: ['dev', 'ops'] }))
  const jane = { username: 'oidc:jane', groups: ['oidc:dev', 'oidc:ops', 'system:authenticated'] }
  assert.equal(await whoami(server, list), jane)
  assert.equal(await whoami(server, list), jane)
  const one = await signedToken(key, claims({ groups: 'dev' }))
  assert.equal(await whoami(server, one), {
    username: 'oidc:jane',
    groups: ['oidc:dev', 'system:authenticated'],
  })
  assert.equal(asked, ['/.well-known/openid-configuration', '/keys'])
})

test('a new key of the issuer counts when its first token comes', async () => {
  const server = await serverOf({ issuers: [issuerOf()] })
  assert.is(await whoami(server, await signedToken(other, claims())), 401)
  published = [other]
  // Keys are asked for once a second at most, whatever is presented.
  const token = await signedToken(other, claims({ groups: [] }))
  const reads = asked.length
  assert.is(await whoami(server, token), 401)
  assert.is(asked.length, reads)
  for (;;) if ((await whoami(server, token)) !== 401) break
  assert.is(await whoami(server, await signedToken(newSigningKey('RSA'), claims())), 401)
})

test('bad tokens let no one in', async () => {
  const server = await serverOf({ issuers: [issuerOf()] })
  const now = seconds()
  const bad: readonly [string, string][] = [
    ['another key', await signedToken(other, claims(), { kid: key.kid })],
    ['unsigned', `${part({ alg: 'none' })}.${part(claims())}.`],
    ['confused', confusedToken(key, claims())],
    ['another algorithm', await signedToken(newSigningKey('P-256'), claims())],
    ['another audience', await signedToken(key, claims({ aud: ['vault'] }))],
    ['no audience', await signedToken(key, claims({ aud: undefined }))],
    ['expired', await signedToken(key, claims({ exp: now - 100 }))],
    ['without an end', await signedToken(key, claims({ exp: undefined }))],
    ['not yet valid', await signedToken(key, claims({ nbf: now + 100 }))],
    ['without a name', await signedToken(key, claims({ sub: undefined }))],
    ['a name that is no text', await signedToken(key, claims({ sub: ['root'] }))],
    ['groups that are no texts', await signedToken(key, claims({ groups: [1] }))],
    ['another issuer', await signedToken(key, claims({ iss: 'https://other.test' }))],
    [
      'a claim twice',
      await signedToken(
        key,
        `{"iss":"${issuer.url}","sub":"a","sub":"b","aud":"orch","exp":${now + 60}}`,
      ),
    ],
  ]
  for (const [what, token] of bad) assert.is(await whoami(server, token), 401, what)
})

test('an issuer that says it is another one, or does not answer, is believed nothing', async () => {
  claimed = 'https://other.test'
  const server = await serverOf({ issuers: [issuerOf()] })
  assert.is(await whoami(server, await signedToken(key, claims())), 401)
  const unknown = issuerOf()
  const { certificateAuthority: _, ...untrusted } = unknown.issuer.issuer
  const distrusting = await serverOf({
    issuers: [{ issuer: { ...unknown.issuer, issuer: untrusted } }],
  })
  assert.is(await whoami(distrusting, await signedToken(key, claims())), 401)
})

test('an address of electronic mail must be verified', async () => {
  const claimMappings = { username: { claim: 'email', prefix: '' } }
  const server = await serverOf({ issuers: [issuerOf({ claimMappings })] })
  const email = 'jane@shop.test'
  const verified = await signedToken(key, claims({ email, email_verified: true }))
  assert.equal(await whoami(server, verified), {
    username: email,
    groups: ['system:authenticated'],
  })
  for (const email_verified of [false, 'true', null]) {
    assert.is(await whoami(server, await signedToken(key, claims({ email, email_verified }))), 401)
  }
})

test('expressions make the user and judge it', async () => {
  const server = await serverOf({
    issuers: [
      issuerOf({
        claimMappings: {
          username: { expression: "claims.sub + '@' + claims.realm.name" },
          groups: { expression: "claims.roles.map(role, 'r:' + role)" },
          uid: { expression: 'claims.oid' },
          extra: [
            { key: 'shop.test/team', valueExpression: 'claims.team' },
            { key: 'shop.test/none', valueExpression: "''" },
          ],
        },
        claimValidationRules: [
          { claim: 'hd', requiredValue: 'shop.test' },
          { expression: 'claims.exp - claims.iat <= 3600', message: 'too long' },
        ],
        userValidationRules: [
          { expression: "!user.username.startsWith('system:')", message: 'reserved' },
          { expression: "user.groups.all(one, one != 'r:admin')", message: 'no admins' },
        ],
      }),
    ],
  })
  const good = { hd: 'shop.test', realm: { name: 'r' }, roles: ['dev'], oid: '7', team: ['a', 'b'] }
  assert.equal(await whoami(server, await signedToken(key, claims(good))), {
    username: 'jane@r',
    uid: '7',
    groups: ['r:dev', 'system:authenticated'],
    extra: { 'shop.test/team': ['a', 'b'] },
  })
  const bad = [
    { hd: 'other' },
    { hd: undefined },
    { realm: {} },
    { realm: { name: 5 } },
    { roles: ['admin'] },
    { roles: 'dev' },
    { sub: 'system:admin' },
    { exp: seconds() + 7200 },
    { team: [1] },
    { team: { a: 1 } },
  ]
  for (const more of bad) {
    const token = await signedToken(key, claims({ ...good, ...more }))
    assert.is(await whoami(server, token), 401, JSON.stringify(more))
  }
})

async function webhookFile(server: HttpsServer): Promise<string> {
  const path = join(tempDirectory(), 'webhook')
  await writeFile(
    path,
    `apiVersion: v1
kind: Config
clusters: [{ name: w, cluster: { server: '${server.url}/authenticate', certificate-authority-data: ${server.caBundle} } }]
users: [{ name: w, user: { token: token-of-server } }]
contexts: [{ name: w, context: { cluster: w, user: w } }]
current-context: w
`,
  )
  return path
}

for (const version of ['v1', 'v1beta1'] as const) {
  test(`a webhook is asked in ${version} whose a token is, and once for what it knows`, async () => {
    const paths: string[] = []
    const service = await startHttpsServer(
      (body: { spec: { token: string } }, { path, request }) => {
        paths.push(`${path} ${request.headers.authorization}`)
        const user = { username: 'ann', uid: '9', groups: ['g'], extra: { k: ['v'] } }
        const { token } = body.spec
        const status = token === 'good' ? { authenticated: true, user } : { error: `no ${token}` }
        return { kind: 'TokenReview', status }
      },
    )
    const file = await webhookFile(service)
    const server = await serverOf({ webhook: { file, version } })
    const ann = {
      username: 'ann',
      uid: '9',
      groups: ['g', 'system:authenticated'],
      extra: { k: ['v'] },
    }
    assert.equal(await whoami(server, 'good'), ann)
    assert.equal(await whoami(server, 'good'), ann)
    assert.is(await whoami(server, 'b4d-token'), 401)
    assert.is(await whoami(server, 'b4d-token'), 401)
    assert.equal(paths, [
      '/authenticate Bearer token-of-server',
      '/authenticate Bearer token-of-server',
    ])
    const [first] = service.bodies
    assert.equal(first, {
      kind: 'TokenReview',
      apiVersion: `authentication.orch.io/${version}`,
      metadata: {},
      spec: { token: 'good', audiences: ['https://orch.default.svc'] },
    })
    await service.stop()
  })
}

test('a webhook that hangs, fails or answers nonsense lets no one in, and others still get in', async () => {
  let answer: () => unknown = () => undefined
  const service = await startHttpsServer((_: unknown, { response }) => {
    const value = answer()
    if (value === undefined) return undefined
    response.statusCode = 200
    return value
  })
  const file = await webhookFile(service)
  const server = await serverOf({ webhook: { file, timeoutMs: 300 } })
  assert.is(await whoami(server, 'hanging'), 401)
  const nonsense = [
    [],
    { status: { authenticated: 'yes', user: { username: 'a' } } },
    { status: { authenticated: true } },
    { status: { authenticated: true, user: { username: '' } } },
    { status: { authenticated: true, user: { username: 'a' }, audiences: ['other'] } },
    { status: { authenticated: true, user: { username: ['a'] } } },
  ]
  for (const [index, value] of nonsense.entries()) {
    answer = () => value
    assert.is(await whoami(server, `nonsense-${index}`), 401, JSON.stringify(value))
  }
  answer = () => ({ status: { authenticated: true, user: { username: 'ann' } } })
  assert.equal(await whoami(server, 'hanging'), {
    username: 'ann',
    groups: ['system:authenticated'],
  })
  await service.stop()
  assert.is(await whoami(server, 'later'), 401)
  const anonymous = await fetch(`${server.url}/api/v1/pods`)
  assert.is(anonymous.status, 200)
})

test('no token is in the log', () => {
  const all = logged.join('\n')
  assert.ok(logged.length > 0)
  assert.not.match(all, /eyJ[\w-]+\.[\w-]+\./)
  assert.not.match(all, 'b4d-token')
  assert.not.match(all, 'token-of-server')
})

test.run()
