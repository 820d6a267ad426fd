/** Tokens over HTTP: who the bearer is (N-01, N-02, N-05 to N-07), requests and reviews of tokens (N-11 to N-13), the documents of the issuer. */
import { connect } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import { parseStaticTokens, publicPartOf } from '../../../runtime/auth/auth.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { createLogger } from '../../../runtime/observe/observe.ts'
import { newSigningKey, signedToken } from '../../support/service-accounts.ts'

const test = suite('runtime/apiserver: tokens')

const issuer = 'https://orch.test'
const key = newSigningKey()
const rsa = newSigningKey('RSA')
const keys = [publicPartOf(key), publicPartOf(rsa)]
const logged: string[] = []
const events: Record<string, unknown>[] = []
let server: RunningApiServer

test.before(async () => {
  server = await startApiServer({
    scheme,
    storage: { kind: 'memory' },
    clock: systemClock,
    log: await createLogger({ level: 'debug', write: (line) => void logged.push(line) }),
    listen: { port: 0 },
    admission: { disable: ['ServiceAccount'] },
    runtimeConfig: ['api/all=true'],
    authentication: {
      staticTokens: parseStaticTokens('token-of-admin,admin,1,"ops,dev"\n').users,
      bootstrapTokens: true,
      serviceAccounts: {
        issuers: [issuer, 'https://older.test'],
        signingKey: () => key,
        keys: () => keys,
        maxExpirationSeconds: 100_000,
      },
    },
    audit: {
      policy: { rules: [{ level: 'Metadata', omitStages: ['RequestReceived'] }] },
      log: { output: (line) => void events.push(JSON.parse(line)) },
    },
  })
  await made('namespaces', { metadata: { name: 'shop' } })
  await made('namespaces/shop/serviceaccounts', { metadata: { name: 'robot' } })
})
test.after(() => server?.stop())

/** The body of a response, of which each test knows what it is. */
// biome-ignore lint/suspicious/noExplicitAny: what a server answers is not typed here
type Body = any

type Answer = { status: number; body: Body; headers: Headers }

async function ask(
  method: string,
  path: string,
  {
    token,
    body,
    headers = {},
  }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = text.startsWith('{')
  return {
    status: response.status,
    body: isJson ? JSON.parse(text) : text,
    headers: response.headers,
  }
}

async function made(path: string, body: unknown): Promise<Body> {
  const { status, body: object } = await ask('POST', `/api/v1/${path}`, { body })
  assert.is(status, 201, JSON.stringify(object))
  return object
}

const reviews = '/apis/authentication.orch.io/v1/selfsubjectreviews'
const tokenReviews = '/apis/authentication.orch.io/v1/tokenreviews'
const robotToken = '/api/v1/namespaces/shop/serviceaccounts/robot/token'

async function whoami(token?: string, headers: Record<string, string> = {}): Promise<Body> {
  const { status, body } = await ask('POST', reviews, {
    body: {},
    headers,
    ...(token !== undefined && { token }),
  })
  return status === 201 ? body.status.userInfo : status
}

async function newToken(spec: unknown = {}): Promise<Body> {
  const { status, body } = await ask('POST', robotToken, { body: { spec } })
  assert.is(status, 201, JSON.stringify(body))
  return body
}

async function reviewed(token: string, audiences?: readonly string[]): Promise<Body> {
  const { status, body } = await ask('POST', tokenReviews, { body: { spec: { token, audiences } } })
  assert.is(status, 201)
  return body.status
}

function claimsOf(token: string): Body {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}

test('no credentials are the anonymous user, wrong ones are 401 (N-01, N-05, N-06)', async () => {
  assert.equal(await whoami(), { username: 'system:anonymous', groups: ['system:unauthenticated'] })
  const wrong = await ask('GET', '/api/v1/pods', { token: 'nonsense' })
  assert.is(wrong.status, 401)
  assert.is(wrong.body.message, 'Unauthorized')
  assert.is(await whoami('nonsense'), 401)
})

test('a static token names its user, in a scheme of any case (N-02, N-04)', async () => {
  const admin = { username: 'admin', uid: '1', groups: ['ops', 'dev', 'system:authenticated'] }
  assert.equal(await whoami('token-of-admin'), admin)
  assert.equal(await whoami(undefined, { Authorization: 'bEaReR token-of-admin' }), admin)
  assert.equal(await whoami(undefined, { Authorization: 'Basic YTpi' }), {
    username: 'system:anonymous',
    groups: ['system:unauthenticated'],
  })
})

for (const version of ['v1', 'v1beta1', 'v1alpha1']) {
  test(`SelfSubjectReview of ${version} says who asks (N-13)`, async () => {
    const path = `/apis/authentication.orch.io/${version}/selfsubjectreviews`
    const { body } = await ask('POST', path, { body: {}, token: 'token-of-admin' })
    assert.is(body.apiVersion, `authentication.orch.io/${version}`)
    assert.is(body.status.userInfo.username, 'admin')
  })
}

test('a requested token names the account that it is for (N-07, N-08, N-11)', async () => {
  const request = await newToken()
  const { token, expirationTimestamp } = request.status
  assert.equal(request.spec.audiences, [issuer, 'https://older.test'])
  assert.is(request.spec.expirationSeconds, 3600)
  const [{ subresource, fieldsV1 }] = request.metadata.managedFields
  assert.equal([subresource, fieldsV1], ['token', { 'f:spec': { 'f:expirationSeconds': {} } }])
  const user = await whoami(token)
  assert.is(user.username, 'system:serviceaccount:shop:robot')
  assert.equal(user.groups, [
    'system:serviceaccounts',
    'system:serviceaccounts:shop',
    'system:authenticated',
  ])
  const { aud, exp, iat, iss, nbf, sub, 'orch.io': own } = claimsOf(token)
  assert.equal([aud, iss, sub], [request.spec.audiences, issuer, user.username])
  assert.equal([exp - iat, nbf], [3600, iat])
  assert.equal(own, { namespace: 'shop', serviceaccount: { name: 'robot', uid: user.uid } })
  assert.ok(Date.parse(expirationTimestamp) <= exp * 1000)
  assert.equal(JSON.parse(Buffer.from(token.split('.')[0], 'base64url').toString()), {
    alg: 'ES256',
    kid: key.kid,
  })
})

const refused: readonly (readonly [body: object, code: number, text: string | RegExp])[] = [
  [
    { spec: { expirationSeconds: 599 } },
    422,
    'TokenRequest.authentication.orch.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
  ],
  [
    { spec: { expirationSeconds: 4294967297 } },
    422,
    'TokenRequest.authentication.orch.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
  ],
  [
    { metadata: { name: 'other' } },
    422,
    'TokenRequest.authentication.orch.io "robot" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
  ],
  [{ metadata: { namespace: 'other' } }, 400, /does not match the namespace sent on the request/],
  [
    { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'no' } } },
    404,
    'pods "no" not found',
  ],
  [
    { spec: { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'no' } } },
    404,
    'secrets "no" not found',
  ],
  [
    { spec: { boundObjectRef: { kind: 'Deployment', apiVersion: 'apps/v1', name: 'web' } } },
    400,
    'cannot bind token to object of type apps/v1, Kind=Deployment',
  ],
  [{ spec: { boundObjectRef: {} } }, 400, 'cannot bind token to object of type /, Kind='],
  [
    { spec: { boundObjectRef: { kind: 'Node', apiVersion: 'v1', name: 'n' } } },
    400,
    'cannot bind token to a Node object as the "ServiceAccountTokenNodeBinding" feature-gate is disabled',
  ],
]

for (const [body, code, text] of refused) {
  test(`a request for a token is refused: ${JSON.stringify(body)} (N-11)`, async () => {
    const answer = await ask('POST', robotToken, { body })
    assert.is(answer.status, code)
    if (typeof text === 'string') assert.is(answer.body.message, text)
    else assert.match(answer.body.message, text)
  })
}

test('an account that is not there has no tokens', async () => {
  const path = '/api/v1/namespaces/shop/serviceaccounts/nobody/token'
  const { status, body } = await ask('POST', path, { body: { spec: {} } })
  assert.is(status, 404)
  assert.is(body.message, 'serviceaccounts "nobody" not found')
})

test('a token of a pod names it, is extended for pods, and ends with the pod (N-09, N-11)', async () => {
  const spec = { serviceAccountName: 'robot', containers: [{ name: 'a', image: 'a' }] }
  const pod = await made('namespaces/shop/pods', { metadata: { name: 'web' }, spec })
  const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'web', uid: pod.metadata.uid }
  const { status } = await newToken({ boundObjectRef, expirationSeconds: 3607 })
  const { exp, iat, 'orch.io': own } = claimsOf(status.token)
  assert.is(exp - iat, 365 * 24 * 60 * 60)
  assert.is(own.warnafter - iat, 3607)
  assert.ok(Math.abs(Date.parse(status.expirationTimestamp) / 1000 - iat - 3607) < 2)
  const { extra } = await whoami(status.token)
  assert.equal(extra, {
    'authentication.orch.io/pod-name': ['web'],
    'authentication.orch.io/pod-uid': [pod.metadata.uid],
  })
  const other = { boundObjectRef: { ...boundObjectRef, uid: 'old' } }
  const conflict = await ask('POST', robotToken, { body: { spec: other } })
  assert.is(conflict.status, 409)
  assert.match(
    conflict.body.message,
    'Operation cannot be fulfilled on Pod "web": the UID in the bound',
  )
  const gone = await ask('DELETE', '/api/v1/namespaces/shop/pods/web?gracePeriodSeconds=0', {})
  assert.is(gone.status, 200)
  assert.is(await whoami(status.token), 401)
})

test('a token may not live longer than the server allows', async () => {
  const { headers, body } = await ask('POST', robotToken, {
    body: { spec: { expirationSeconds: 200_000 } },
  })
  assert.match(
    headers.get('warning') ?? '',
    'requested expiration of 200000 seconds shortened to 100000 seconds',
  )
  assert.is(body.spec.expirationSeconds, 100_000)
  const { exp, iat } = claimsOf(body.status.token)
  assert.is(exp - iat, 100_000)
})

test('a review says whose a token is, and why it is not good (N-12)', async () => {
  const { status } = await newToken()
  const good = await reviewed(status.token)
  assert.is(good.authenticated, true)
  assert.is(good.user.username, 'system:serviceaccount:shop:robot')
  assert.equal(good.audiences, [issuer, 'https://older.test'])
  assert.equal((await reviewed(status.token, ['mail', issuer])).audiences, [issuer])
  assert.equal(await reviewed(status.token, ['mail']), {
    user: {},
    error: `[invalid bearer token, token audiences ["${issuer}" "https://older.test"] is invalid for the target audiences ["mail"]]`,
  })
  assert.equal(await reviewed('nonsense'), { user: {}, error: 'invalid bearer token' })
  assert.equal(await reviewed(' '), { user: {} })
  assert.is((await reviewed('token-of-admin')).user.username, 'admin')
  assert.equal(await reviewed('token-of-admin', ['mail']), {
    user: {},
    error: 'invalid bearer token',
  })
  assert.equal(await reviewed('.'.repeat(1_000_000)), { user: {}, error: 'invalid bearer token' })
  const empty = await ask('POST', tokenReviews, { body: { spec: { token: '' } } })
  assert.is(empty.status, 400)
  assert.is(empty.body.message, 'token is required for TokenReview in authentication')
})

test('a token of an account that is deleted is refused at once', async () => {
  await made('namespaces/shop/serviceaccounts', { metadata: { name: 'short' } })
  const path = '/api/v1/namespaces/shop/serviceaccounts/short'
  const { body } = await ask('POST', `${path}/token`, { body: {} })
  const { token } = body.status
  assert.is((await whoami(token)).username, 'system:serviceaccount:shop:short')
  await ask('DELETE', path)
  assert.is(await whoami(token), 401)
  await made('namespaces/shop/serviceaccounts', { metadata: { name: 'short' } })
  assert.is(await whoami(token), 401)
})

test('a token in a secret is warned of, annotated, and its use noted on the secret (U-04)', async () => {
  const account = await ask('GET', '/api/v1/namespaces/shop/serviceaccounts/robot')
  const token = await signedToken(rsa, {
    iss: 'orch/serviceaccount',
    'orch.io/serviceaccount/namespace': 'shop',
    'orch.io/serviceaccount/secret.name': 'robot-token',
    'orch.io/serviceaccount/service-account.name': 'robot',
    'orch.io/serviceaccount/service-account.uid': account.body.metadata.uid,
    sub: 'system:serviceaccount:shop:robot',
  })
  const metadata = {
    name: 'robot-token',
    annotations: { 'orch.io/service-account.name': 'robot' },
  }
  const type = 'orch.io/service-account-token'
  await made('namespaces/shop/secrets', { metadata, type, stringData: { token } })
  await ask('PATCH', '/api/v1/namespaces/shop/serviceaccounts/robot', {
    body: { secrets: [{ name: 'robot-token' }] },
    headers: { 'Content-Type': 'application/merge-patch+json' },
  })
  events.length = 0
  const { headers } = await ask('GET', '/api/v1/namespaces/shop/pods', { token })
  assert.match(headers.get('warning') ?? '', 'Use tokens from the TokenRequest API')
  const [event] = events as { annotations: Record<string, string> }[]
  assert.is(
    event?.annotations['authentication.orch.io/legacy-token-autogenerated-secret'],
    'robot-token',
  )
  for (;;) {
    const { body } = await ask('GET', '/api/v1/namespaces/shop/secrets/robot-token')
    const day = body.metadata.labels?.['orch.io/legacy-token-last-used']
    if (day === undefined) continue
    assert.is(day, new Date().toISOString().slice(0, 10))
    break
  }
})

test('a bootstrap token names a joining node (N-16)', async () => {
  const secret = (id: string, more: object = {}) => ({
    metadata: { name: `bootstrap-token-${id}` },
    type: 'bootstrap.orch.io/token',
    stringData: {
      'token-id': id,
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
      ...more,
    },
  })
  const groups = { 'auth-extra-groups': 'system:bootstrappers:b,system:bootstrappers:a' }
  await made('namespaces/orch-system/secrets', secret('abcdef', groups))
  assert.equal(await whoami('abcdef.0123456789abcdef'), {
    username: 'system:bootstrap:abcdef',
    groups: [
      'system:bootstrappers',
      'system:bootstrappers:a',
      'system:bootstrappers:b',
      'system:authenticated',
    ],
  })
  const bad: Record<string, object> = {
    aaaaa1: { expiration: '2020-01-01T00:00:00Z' },
    aaaaa2: { expiration: 'some day' },
    aaaaa3: { 'usage-bootstrap-authentication': 'false' },
    aaaaa4: { 'token-secret': '0123456789abcdee' },
    aaaaa5: { 'auth-extra-groups': 'system:masters' },
    aaaaa6: { 'token-id': 'abcdef' },
  }
  for (const [id, more] of Object.entries(bad)) {
    await made('namespaces/orch-system/secrets', secret(id, more)).catch(() => undefined)
    assert.is(await whoami(`${id}.0123456789abcdef`), 401, id)
  }
  assert.is(await whoami('abcdef.0123456789abcdeX'), 401)
})

// S-18
test('the documents of the issuer say where its keys are', async () => {
  const { status, body, headers } = await ask('GET', '/.well-known/openid-configuration')
  assert.is(status, 200)
  assert.is(headers.get('content-type'), 'application/json')
  assert.is(headers.get('cache-control'), 'public, max-age=3600')
  assert.equal(body, {
    issuer,
    jwks_uri: `https://${new URL(server.url).host}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256', 'RS256'],
  })
  const set = await ask('GET', '/openid/v1/jwks')
  assert.is(set.headers.get('content-type'), 'application/jwk-set+json')
  assert.equal(
    set.body.keys.map((one: Record<string, string>) => Object.keys(one).join()),
    ['use,kty,kid,crv,alg,x,y', 'use,kty,kid,alg,n,e'],
  )
  assert.equal(
    set.body.keys.map(({ kid }: { kid: string }) => kid),
    [key.kid, rsa.kid],
  )
  assert.is((await ask('POST', '/openid/v1/jwks', { body: {} })).status, 405)
})

test('a websocket may carry its token as a subprotocol, which goes no further (N-02)', async () => {
  const encoded = Buffer.from('token-of-admin').toString('base64url')
  const protocol = `base64url.bearer.authorization.orch.io.${encoded}`
  const good = await upgrade(`${protocol}, watch.orch.io`)
  assert.match(good, 'HTTP/1.1 101')
  assert.match(good, 'Sec-WebSocket-Protocol: watch.orch.io')
  assert.not.match(good, encoded)
  const wrong = [
    protocol,
    `${protocol}, ${protocol}, watch.orch.io`,
    `base64url.bearer.authorization.orch.io.${Buffer.from('x').toString('base64url')}, watch.orch.io`,
    'base64url.bearer.authorization.orch.io.!!, watch.orch.io',
    'base64url.bearer.authorization.orch.io._w, watch.orch.io',
  ]
  for (const one of wrong) assert.match(await upgrade(one), 'HTTP/1.1 401', one)
  assert.match(await upgrade('watch.orch.io'), 'HTTP/1.1 101')
})

/** What the server says to a websocket that offers subprotocols, up to the end of its headers. */
function upgrade(protocols: string): Promise<string> {
  const { hostname, port } = new URL(server.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        [
          'GET /api/v1/namespaces?watch=true HTTP/1.1',
          'Host: localhost',
          'Connection: Upgrade',
          'Upgrade: websocket',
          'Sec-WebSocket-Version: 13',
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
          `Sec-WebSocket-Protocol: ${protocols}`,
          '',
          '',
        ].join('\r\n'),
      ),
    )
    let text = ''
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (!text.includes('\r\n\r\n')) return
      socket.destroy()
      resolve(text.slice(0, text.indexOf('\r\n\r\n')))
    })
  })
}

test('nothing that is secret is in the log or in the audit log', () => {
  const all = [...logged, ...events.map((event) => JSON.stringify(event))].join('\n')
  assert.ok(logged.length > 0)
  assert.not.match(all, 'token-of-admin')
  assert.not.match(all, '0123456789abcde')
  assert.not.match(all, /eyJ[\w-]+\.[\w-]+\.[\w-]+/)
})

test.run()
