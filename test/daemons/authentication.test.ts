/** The flags and files of authentication: what they mean together, and that everything wrong with them is said at once (N-04, N-17). */
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { jwkOf, publicPartOf } from '../../runtime/auth/auth.ts'
import { checkApiServer } from '../support/check-config.ts'
import { startHttpsServer } from '../support/https-server.ts'
import { apiserverCommand, startProgram } from '../support/orch.ts'
import { newSigningKey, privatePem, publicPem, signedToken } from '../support/service-accounts.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const test = suite('daemons/apiserver: authentication')

const home = tempDirectory()

async function file(name: string, text: string): Promise<string> {
  const path = join(home, name)
  await writeFile(path, text)
  return path
}

/** What --check-config says, each line without what it begins with. */
async function problems(...args: readonly string[]): Promise<string> {
  const { code, stderr } = await checkApiServer(...args)
  assert.is(code, stderr === '' ? 0 : 1, stderr)
  return stderr
}

async function whoami(url: string, token?: string): Promise<unknown> {
  const response = await fetch(`${url}/apis/authentication.orch.io/v1/selfsubjectreviews`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    body: '{}',
  })
  if (response.status !== 201) return response.status
  const { status } = (await response.json()) as { status: { userInfo: { username: string } } }
  return status.userInfo.username
}

test('a file of tokens lets its users in, and no others', async () => {
  const tokens = await file('tokens.csv', 'one,jane,1,"dev,ops"\r\ntwo,"the ""other""",2\n')
  const running = await startProgram(apiserverCommand, [
    '--insecure-port=0',
    `--token-auth-file=${tokens}`,
  ])
  assert.is(await whoami(running.url, 'one'), 'jane')
  assert.is(await whoami(running.url, 'two'), 'the "other"')
  assert.is(await whoami(running.url, 'three'), 401)
  // N-06: where everything is allowed, the anonymous user is not let in.
  assert.is(await whoami(running.url), 401)
  assert.is(await running.stop(), 0)
})

test('without a flag of authentication, all requests are the anonymous user’s as before', async () => {
  const running = await startProgram(apiserverCommand, ['--insecure-port=0'])
  assert.is(await whoami(running.url), 'system:anonymous')
  assert.is(await whoami(running.url, 'whatever'), 'system:anonymous')
  assert.is(await running.stop(), 0)
})

test('everything wrong with a file of tokens is said, with its lines and without its tokens', async () => {
  const tokens = await file(
    'broken.csv',
    'secret-a,jane\nsecret-b,"x"y,2\nsecret-c,ok,3\nsecret-d\n',
  )
  const said = await problems(`--token-auth-file=${tokens}`)
  assert.match(said, `${tokens}: line 1: 2 columns, but at least 3 are needed: token, user, uid`)
  assert.match(said, `${tokens}: line 2: a quotation mark stands where none may`)
  assert.match(said, `${tokens}: line 4: 1 column`)
  assert.not.match(said, 'secret-')
})

const wrong: readonly (readonly [args: readonly string[], text: string])[] = [
  [['--oidc-client-id=x'], '--oidc-issuer-url and --oidc-client-id must both be given'],
  [
    ['--oidc-issuer-url=http://a', '--oidc-client-id=x'],
    '--oidc-issuer-url: only https is believed',
  ],
  [
    ['--oidc-issuer-url=https://u:p@a?x', '--oidc-client-id=x'],
    'it must not hold a user or a password',
  ],
  [
    ['--oidc-issuer-url=https://a', '--oidc-client-id=x', '--oidc-signing-algs=HS256'],
    '--oidc-signing-algs: HS256 is none of RS256,',
  ],
  [
    ['--oidc-issuer-url=https://a', '--oidc-client-id=x', '--oidc-ca-file=/nope'],
    '--oidc-ca-file: ENOENT',
  ],
  [
    ['--service-account-issuer=https://a'],
    '--service-account-issuer and --service-account-signing-key-file must be given together',
  ],
  [
    ['--service-account-key-file=/nope'],
    '--service-account-key-file needs --service-account-signing-key-file',
  ],
  [['--service-account-issuer=1:b'], 'has a colon, but is no URL'],
  [['--service-account-issuer=a', '--service-account-issuer=a'], 'a is given twice'],
  [['--service-account-max-token-expiration=1m'], 'must be between 1h0m0s and 2^32 seconds'],
  [['--service-account-jwks-uri=http://a'], '--service-account-jwks-uri must be an https URL'],
  [['--authentication-token-webhook-version=v2'], 'v1beta1'],
  [
    ['--authentication-config=/nope'],
    '--authentication-config needs --feature-gates=StructuredAuthenticationConfiguration=true',
  ],
]

for (const [args, text] of wrong) {
  test(`${args.join(' ')} is refused with the remedy`, async () => {
    assert.match(await problems(...args), text)
  })
}

test('keys that sign nothing are refused, without a word of them', async () => {
  const small = await file('none.pem', 'SECRET-TEXT')
  const said = await problems(
    '--service-account-issuer=https://a',
    `--service-account-signing-key-file=${small}`,
  )
  assert.match(said, `${small}: no private key of RSA or an elliptic curve`)
  assert.not.match(said, 'SECRET-TEXT')
})

test('keys of files sign and verify; others that take their place count without a restart', async () => {
  const [first, second] = [newSigningKey('RSA'), newSigningKey('P-384')]
  const signing = await file('sa.key', privatePem(first))
  const verifying = await file('sa.pub', publicPem(first))
  const running = await startProgram(apiserverCommand, [
    '--insecure-port=0',
    '--service-account-issuer=https://orch.test',
    `--service-account-signing-key-file=${signing}`,
    `--service-account-key-file=${verifying}`,
    `--token-auth-file=${await file('admin.csv', 'admin,admin,1\n')}`,
  ])
  const post = async (path: string, body: unknown): Promise<{ status: { token: string } }> => {
    const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer admin' }
    const sent = await fetch(`${running.url}/api/v1/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return (await sent.json()) as { status: { token: string } }
  }
  await post('namespaces/default/serviceaccounts', { metadata: { name: 'robot' } })
  const newToken = async (): Promise<string> =>
    (await post('namespaces/default/serviceaccounts/robot/token', {})).status.token
  const headerOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())
  const before = await newToken()
  assert.equal(headerOf(before), { alg: 'RS256', kid: first.kid })
  const robot = 'system:serviceaccount:default:robot'
  assert.is(await whoami(running.url, before), robot)
  // What is broken changes nothing.
  await writeFile(verifying, 'nonsense')
  await writeFile(`${signing}.new`, privatePem(second))
  await rename(`${signing}.new`, signing)
  await writeFile(verifying, publicPem(first) + publicPem(second))
  await until('the second key signs', async () => headerOf(await newToken()).kid === second.kid)
  const after = await newToken()
  assert.is(await whoami(running.url, after), robot)
  assert.is(await whoami(running.url, before), robot)
  await writeFile(verifying, publicPem(second))
  await until('the first key is gone', async () => (await whoami(running.url, before)) === 401)
  assert.is(await whoami(running.url, after), robot)
  assert.is(await running.stop(), 0)
})

test('everything wrong with an authentication file is said, with its places', async () => {
  const config = await file(
    'authentication.yaml',
    `apiVersion: apiserver.orch.io/v1alpha1
kind: AuthenticationConfiguration
jwt:
- issuer:
    url: https://issuer.test
    audiences: [orch]
    certificateAuthority: nonsense
  claimMappings:
    username:
      expression: 'claims.sub +'
    groups:
      expression: 'nope'
  claimValidationRules:
  - expression: claims.hd
  - expression: '"x"'
    message: never
  userValidationRules:
  - expression: user.nothing == 1
`,
  )
  const gate = '--feature-gates=StructuredAuthenticationConfiguration=true'
  const said = await problems(`--authentication-config=${config}`, gate)
  const places = [
    `${config}:7:27: jwt[0].issuer.certificateAuthority: `,
    `${config}:10:19: jwt[0].claimMappings.username.expression: compilation failed: ERROR: <input>`,
    `${config}:12:19: jwt[0].claimMappings.groups.expression: compilation failed`,
    `${config}:14:17: jwt[0].claimValidationRules[0].expression: must evaluate to bool`,
    `${config}:15:17: jwt[0].claimValidationRules[1].expression: must evaluate to bool`,
    `${config}:18:17: jwt[0].userValidationRules[0].expression: compilation failed`,
  ]
  for (const place of places) assert.match(said, place)
})

test('the shape of an authentication file is checked like that of any other', async () => {
  const config = await file(
    'shape.yaml',
    `apiVersion: apiserver.orch.io/v1alpha1
kind: AuthenticationConfiguration
jwt:
- issuer:
    url: http://issuer.test
    audiences: []
  claimMappings:
    username:
      claim: sub
  claimValidationRules:
  - message: alone
`,
  )
  const gate = '--feature-gates=StructuredAuthenticationConfiguration=true'
  const said = await problems(`--authentication-config=${config}`, gate)
  for (const place of ['5:10', '6:16', '9:14', '11:5']) assert.match(said, `${config}:${place}: `)
})

test('a broken authentication file changes nothing; one that is mended counts without a restart', async () => {
  const key = newSigningKey('RSA')
  const issuer = await startHttpsServer((_, { path }) =>
    path === '/keys'
      ? { keys: [jwkOf(publicPartOf(key))] }
      : { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` },
  )
  const textOf = (prefix: string, more = ''): string => `apiVersion: apiserver.orch.io/v1alpha1
kind: AuthenticationConfiguration
jwt:
- issuer:
    url: ${issuer.url}
    audiences: [orch]
    certificateAuthority: ${JSON.stringify(Buffer.from(issuer.caBundle, 'base64').toString())}
  claimMappings:
    username: { claim: sub, prefix: '${prefix}' }
${more}`
  const config = await file('issuers.yaml', textOf('first:'))
  const replace = async (text: string): Promise<void> => {
    await writeFile(`${config}.new`, text)
    await rename(`${config}.new`, config)
  }
  const running = await startProgram(apiserverCommand, [
    ...['--insecure-port=0', `--authentication-config=${config}`],
    '--feature-gates=StructuredAuthenticationConfiguration=true',
  ])
  let said = ''
  running.process.stderr?.on('data', (text: string) => {
    said += text
  })
  try {
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer.url, sub: 'jane', aud: 'orch', exp: now + 6000, iat: now }
    const token = await signedToken(key, claims)
    assert.is(await whoami(running.url, token), 'first:jane')
    await replace(
      textOf(
        'second:',
        "  claimValidationRules:\n  - expression: claims.hd\n  - expression: 'a +'\n",
      ),
    )
    await until('all that is wrong is logged', () =>
      ['11:17', '12:17'].every((place) => said.includes(`${config}:${place}: jwt[0].claimVal`)),
    )
    assert.match(said, 'files cannot be used: what they said before goes on')
    assert.is(await whoami(running.url, token), 'first:jane')
    await replace('jwt: [')
    await until('the next one is, too', () => said.split('files cannot be used').length === 3)
    assert.is(await whoami(running.url, token), 'first:jane')
    await replace(textOf('second:'))
    await until('the mended file counts', async () => {
      return (await whoami(running.url, token)) === 'second:jane'
    })
    await replace(textOf('second:').replace(issuer.url, 'https://other.test'))
    await until('an issuer that is not there any more', async () => {
      return (await whoami(running.url, token)) === 401
    })
  } finally {
    await running.stop()
    await issuer.stop()
  }
})

test.run()
