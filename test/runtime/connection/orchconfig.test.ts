import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ConnectionConfig } from '../../../runtime/client/client.ts'
import { type ConfigSelection, loadConfig } from '../../../runtime/connection/connection.ts'
import { assertRejects } from '../../support/rejects.ts'

const test = suite<{ folder: string }>('runtime/connection: orchconfig')

test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'orchconfig-'))
})

test.after.each(({ folder }) => rm(folder, { recursive: true }))

const config = `
apiVersion: v1
kind: Config
current-context: here
contexts:
- { name: here, context: { cluster: one, user: ann, namespace: web } }
- { name: bare, context: { cluster: one } }
- { name: odd, context: { cluster: two, user: ann } }
- { name: lost, context: { cluster: oen } }
clusters:
- { name: one, cluster: { server: 'https://127.0.0.1:6443', certificate-authority: ca.pem } }
- { name: two, cluster: { server: 'ftp://example.com' } }
users:
- { name: ann, user: { token: secret, client-key-data: ${Buffer.from('KEY').toString('base64')} } }
`

async function save(folder: string, text: string, name = 'orchconfig'): Promise<string> {
  await writeFile(join(folder, 'ca.pem'), 'CA\n')
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}

/** What a file says, with the credentials of its files as plain values. */
async function load(files: string | readonly string[], selection: ConfigSelection = {}) {
  const { credentials, origin, ...rest } = await loadConfig(files, {
    environment: {},
    ...selection,
  })
  return { ...rest, ...(await credentials?.current()) }
}

/** A file whose one user and one cluster have these fields. */
function withParts(user: string, cluster = ''): string {
  return `
current-context: c
contexts: [{ name: c, context: { cluster: c, user: u } }]
clusters: [{ name: c, cluster: { server: 'https://example.com'${cluster && `, ${cluster}`} } }]
users: [{ name: u, user: { ${user} } }]`
}

test('the current context says server, user and namespace', async ({ folder }) => {
  const file = await save(folder, config)
  assert.equal(await load(file), {
    server: 'https://127.0.0.1:6443',
    namespace: 'web',
    ca: 'CA',
    key: 'KEY',
    token: 'secret',
  })
})

test('a context and a namespace may be asked for, and a context may have no user', async ({
  folder,
}) => {
  const file = await save(folder, config)
  assert.equal(await load(file, { context: 'bare', namespace: 'shop' }), {
    server: 'https://127.0.0.1:6443',
    namespace: 'shop',
    ca: 'CA',
  })
})

test('JSON is read as well, and fields that only other programs know are theirs', async ({
  folder,
}) => {
  const json = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', colour: 'blue' } }],
    clusters: [{ name: 'c', cluster: { server: 'http://localhost:1' } }],
    users: null,
  }
  const file = await save(folder, JSON.stringify(json))
  assert.equal(await load(file), { server: 'http://localhost:1', namespace: 'default' })
})

const said: readonly [string, string, Partial<ConnectionConfig>][] = [
  [
    'whom to act as',
    withParts('token: t, as: eve, as-uid: "7", as-groups: [a, b], as-user-extra: { Team: [x] }'),
    {
      token: 't',
      impersonate: { user: 'eve', uid: '7', groups: ['a', 'b'], extra: { Team: ['x'] } },
    },
  ],
  [
    'a name and a password',
    withParts('username: u, password: p'),
    { username: 'u', password: 'p' },
  ],
  [
    'a proxy, a name to verify, and that nothing comes compressed',
    withParts('', 'proxy-url: "socks5://p:1", tls-server-name: other, disable-compression: true'),
    { proxy: 'socks5://p:1', serverName: 'other', compression: false },
  ],
  [
    'that the certificate of the server is not verified',
    withParts('', 'insecure-skip-tls-verify: true'),
    { insecure: true },
  ],
  ['a token before the file of a token', withParts('token: t, tokenFile: ca.pem'), { token: 't' }],
]

for (const [name, text, expected] of said) {
  test(`a file says ${name}`, async ({ folder }) => {
    const file = await save(folder, text)
    assert.equal(await load(file), {
      ...{ server: 'https://example.com', namespace: 'default' },
      ...expected,
    })
  })
}

// N-18
test('of several files the first that has an entry wins, and paths are relative to their file', async ({
  folder,
}) => {
  await mkdir(join(folder, 'sub'))
  await writeFile(join(folder, 'sub', 'token'), 'from-sub\n')
  const first = await save(
    folder,
    'contexts: [{ name: c, context: { cluster: c, user: u } }]\nusers: [{ name: u, user: { tokenFile: sub/token } }]',
    'first',
  )
  const second = await save(
    folder,
    `${withParts('token: second')}\ncurrent-context: gone`.replace('current-context: c\n', ''),
    'second',
  )
  const files = [first, join(folder, 'missing'), second].join(delimiter)
  assert.equal(await load(files, { context: 'c' }), {
    server: 'https://example.com',
    namespace: 'default',
    token: 'from-sub',
  })
  const environment = { KUBECONFIG: files }
  const { server } = await loadConfig(undefined, { environment, context: 'c' })
  assert.is(server, 'https://example.com')
})

const proxies: readonly [string, string, Record<string, string>, string | undefined][] = [
  ['of its protocol', 'https://api.example.com', { HTTPS_PROXY: 'http://p:1' }, 'http://p:1'],
  ['in lower case', 'https://api.example.com', { https_proxy: 'p:1' }, 'http://p:1'],
  ['not of the other protocol', 'http://api.example.com', { HTTPS_PROXY: 'http://p:1' }, undefined],
  ['never for this machine', 'http://127.0.0.1:1', { HTTP_PROXY: 'http://p:1' }, undefined],
]
const excluding: typeof proxies = [
  ['example.com', true],
  ['.example.com', true],
  ['*.example.com', true],
  ['other.com, api.example.com:443', true],
  ['api.example.com:80', false],
  ['.api.example.com', false],
  ['ple.com', false],
  ['*', true],
].map(([entry, excluded]) => [
  `with NO_PROXY ${entry}`,
  'https://api.example.com',
  { HTTPS_PROXY: 'http://p:1', NO_PROXY: String(entry) },
  excluded ? undefined : 'http://p:1',
])

for (const [name, server, environment, expected] of [...proxies, ...excluding]) {
  test(`a proxy comes from the environment: ${name}`, async ({ folder }) => {
    const file = await save(folder, withParts('').replace('https://example.com', server))
    assert.is((await loadConfig(file, { environment })).proxy, expected)
  })
}

test('addresses and ranges of NO_PROXY are those of the server', async ({ folder }) => {
  const file = await save(folder, withParts('').replace('example.com', '10.1.2.3:6443'))
  const proxyFor = async (entry: string) => {
    const environment = { HTTPS_PROXY: 'http://p:1', NO_PROXY: entry }
    return (await loadConfig(file, { environment })).proxy
  }
  for (const entry of ['10.1.2.3', '10.0.0.0/8', '10.1.2.3:6443', 'x, 10.1.2.0/24']) {
    assert.is(await proxyFor(entry), undefined, entry)
  }
  for (const entry of ['10.1.2.4', '10.2.0.0/16', '10.1.2.3:1', '10.0.0.0/99', '::/0', '']) {
    assert.is(await proxyFor(entry), 'http://p:1', entry)
  }
})

const refused: readonly [string, string, string | undefined, RegExp][] = [
  [
    'a context that is not there',
    config,
    'nowhere',
    /^orchconfig FILE: there is no context named "nowhere"$/,
  ],
  [
    'a misspelt name of a cluster',
    config,
    'lost',
    /^orchconfig FILE: there is no cluster named "oen"; did you mean "one"\?$/,
  ],
  [
    'a server that is none',
    config,
    'odd',
    /^orchconfig FILE: cluster "two" has no http or https server address: server is "ftp:\/\/example.com"$/,
  ],
  [
    'a file without a current context',
    config.replace('current-context: here', ''),
    undefined,
    /^orchconfig FILE: current-context is not set: name one of "here", "bare", "odd", "lost"$/,
  ],
  [
    'a file that is no mapping',
    '- 1',
    undefined,
    /^orchconfig FILE:1:1: expected a Config: a mapping/,
  ],
  ['a file that is no YAML', 'a: [', undefined, /^orchconfig FILE:1:\d+: /],
  [
    'a file of another kind',
    'kind: Deployment',
    undefined,
    /^orchconfig FILE:1:7: kind: must be Config/,
  ],
  [
    'a field of the wrong type, with its line',
    withParts('token: [a]'),
    undefined,
    /^orchconfig FILE:5:35: users\[0\].user.token: must be a string, not an? \w+\n {2}5 \| users/,
  ],
  [
    'a misspelt field, which would send requests as somebody else',
    withParts('token: t, as-group: [a], as: b'),
    undefined,
    /as-group: unknown field; did you mean "as-groups"\?/,
  ],
  [
    'groups to act in without a user to act as',
    withParts('token: t, as-groups: [a]'),
    undefined,
    /user "u" has as-groups without as: say which user to act as$/,
  ],
  ['two ways to say who one is', withParts('token: t, username: u'), undefined, /remove either$/],
  [
    'an authority for a certificate that is not verified',
    withParts('', 'insecure-skip-tls-verify: true, certificate-authority: ca.pem'),
    undefined,
    /cluster "c" names a certificate-authority, and says that it is not to be checked: remove either$/,
  ],
  [
    'a plugin of a kind that is gone',
    withParts('auth-provider: { name: gcp }'),
    undefined,
    /user "u" needs the auth-provider "gcp".*use exec$/,
  ],
  [
    'a program of a version that nobody speaks',
    withParts('exec: { command: x, apiVersion: client.authentication.k8s.io/v1alpha1 }'),
    undefined,
    /exec.apiVersion is "client.authentication.k8s.io\/v1alpha1": expected one of client.authentication.orch.io\/v1, /,
  ],
  [
    'a program of v1 without interactiveMode',
    withParts('exec: { command: x, apiVersion: client.authentication.k8s.io/v1 }'),
    undefined,
    /needs exec.interactiveMode for client.authentication.k8s.io\/v1: one of Never, IfAvailable, Always$/,
  ],
  [
    'a certificate that cannot be read',
    withParts('client-certificate: nowhere.pem'),
    undefined,
    /^orchconfig FILE: user "u": cannot read .*nowhere.pem \(client-certificate\)$/,
  ],
]

for (const [name, text, context, message] of refused) {
  test(`${name} is refused by file and reason`, async ({ folder }) => {
    const file = await save(folder, text)
    const selection = context === undefined ? {} : { context }
    const error = await assertRejects(loadConfig(file, selection), 'BadRequest')
    assert.match(error.message.replaceAll(file, 'FILE'), message)
  })
}

test('a file that is not there is named', async ({ folder }) => {
  const file = join(folder, 'none')
  const error = await assertRejects(loadConfig(file), 'BadRequest')
  assert.is(error.message, `orchconfig ${file}: there is no such file or folder`)
})

test('what no environment names is said', async () => {
  const environment = { HOME: '/nowhere' }
  const outcome = await loadConfig(undefined, { environment }).then(
    () => 'found the file of this user',
    (error: Error) => error.message,
  )
  assert.match(outcome, /neither ORCHCONFIG nor KUBECONFIG is set|found the file of this user/)
})

test.run()
