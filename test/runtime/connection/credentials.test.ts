// Credentials that change while a client runs, against a real HTTP server that shows what arrived.
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Client } from '../../../runtime/client/client.ts'
import { connect, inClusterConfig } from '../../../runtime/connection/connection.ts'
import type { AnyKind } from '../../../runtime/kernel/descriptors/kind.ts'
import { type FakeClock, fakeClock } from '../../support/clock.ts'
import { assertRejects } from '../../support/rejects.ts'

const kind = {
  ...{ group: 'shop.example.com', version: 'v1', kind: 'Part' },
  ...{ plural: 'parts', scope: 'Namespaced' },
} as AnyKind

interface Bench {
  folder: string
  server: Server
  url: string
  clock: FakeClock
  answer: RequestListener
  /** The Authorization headers that arrived. */
  seen: (string | undefined)[]
  client: Client | undefined
}

const test = suite<Bench>('runtime/connection: credentials')

test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'credentials-'))
  context.seen = []
  context.clock = fakeClock(Date.parse('2026-01-01T00:00:00Z'))
  context.answer = (_, response) => response.end('{"metadata":{"name":"x"}}')
  context.server = createServer((request: IncomingMessage, response) => {
    context.seen.push(request.headers.authorization)
    context.answer(request, response)
  })
  await new Promise<void>((resolve) => context.server.listen(0, '127.0.0.1', resolve))
  context.url = `http://127.0.0.1:${(context.server.address() as AddressInfo).port}`
})

test.after.each(async ({ folder, server, client }) => {
  await client?.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await rm(folder, { recursive: true })
})

/** A client by an orchconfig whose user has these fields. */
async function connectAs(context: Bench, user: string): Promise<Client> {
  const file = join(context.folder, 'orchconfig')
  await writeFile(
    file,
    `current-context: c
contexts: [{ name: c, context: { cluster: c, user: ann } }]
clusters:
- name: c
  cluster:
    server: '${context.url}'
    extensions: [{ name: client.authentication.k8s.io/exec, extension: { region: north } }]
users:
- name: ann
  user: ${user}`,
  )
  context.client = await connect(file, {
    ...{ clock: context.clock, environment: process.env },
    publicNames: { keys: {}, groups: {} },
  })
  return context.client
}

/** Answers 401 to all but one value of the Authorization header. */
function accepting(wanted: string): RequestListener {
  return (request, response) => {
    const right = request.headers.authorization === wanted
    response.writeHead(right ? 200 : 401).end('{"metadata":{"name":"x"}}')
  }
}

test('the file of a token is read again when it is some seconds old', async (context) => {
  const token = join(context.folder, 'token')
  await writeFile(token, 'one\n')
  const parts = (await connectAs(context, '{ tokenFile: token }')).resource(kind)
  await parts.get('x')
  await writeFile(token, 'two\n')
  await parts.get('x')
  context.clock.advance(10_000)
  await parts.get('x')
  await rm(token)
  context.clock.advance(10_000)
  await parts.get('x')
  assert.equal(context.seen, ['Bearer one', 'Bearer one', 'Bearer two', 'Bearer two'])
})

test('a token that is refused is read again at once, and the write is sent once more', async (context) => {
  const token = join(context.folder, 'token')
  await writeFile(token, 'one')
  const parts = (await connectAs(context, '{ tokenFile: token }')).resource(kind)
  await writeFile(token, 'two')
  context.answer = accepting('Bearer two')
  await parts.create({ metadata: { name: 'x' } } as never)
  assert.equal(context.seen, ['Bearer one', 'Bearer two'])
})

test('a token that stays refused is an error that says whose it is and since when it counts no more', async (context) => {
  const exp = Date.parse('2025-12-31T00:00:00Z') / 1000
  const payload = Buffer.from(JSON.stringify({ exp })).toString('base64url')
  const token = join(context.folder, 'token')
  await writeFile(token, `e30.${payload}.sig`)
  const parts = (await connectAs(context, '{ tokenFile: token }')).resource(kind)
  context.answer = (_, response) => response.writeHead(401).end('Unauthorized')
  const error = await assertRejects(parts.get('x'), 'Unauthorized')
  const file = join(context.folder, 'orchconfig')
  assert.is(
    error.message,
    `Unauthorized: the server does not accept its bearer token, which expired at 2025-12-31T00:00:00Z (user "ann" of ${file})`,
  )
  assert.is(context.seen.length, 1)
  assert.not.match(error.message, payload)
})

/** A program that counts its runs in a file, keeps what it was told, and prints an answer. */
async function program(context: Bench, answer: string): Promise<string> {
  const path = join(context.folder, 'plugin')
  await writeFile(
    path,
    `#!/bin/sh
echo run >> '${context.folder}/runs'
echo "$KUBERNETES_EXEC_INFO" > '${context.folder}/told'
echo "$1 $GREETING" > '${context.folder}/arguments'
${answer}
`,
  )
  await chmod(path, 0o755)
  return './plugin'
}

const exec = (command: string, rest = '', version = 'v1') =>
  `{ exec: { command: ${command}, apiVersion: client.authentication.k8s.io/${version}, interactiveMode: Never${rest} } }`

const answering = (status: string, version = 'v1') =>
  `printf '%s' '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/${version}","status":${status}}'`

const runsOf = async ({ folder }: Bench) =>
  (await readFile(join(folder, 'runs'), 'utf8')).trim().split('\n').length

test('a program gets a token, is told about the cluster, and is run once for requests at a time', async (context) => {
  const command = await program(context, answering('{"token":"abc"}'))
  const rest = ', args: [hello], env: [{ name: GREETING, value: "a b" }], provideClusterInfo: true'
  const parts = (await connectAs(context, exec(command, rest))).resource(kind)
  await Promise.all([parts.get('x'), parts.get('x'), parts.get('x')])
  assert.equal(context.seen, ['Bearer abc', 'Bearer abc', 'Bearer abc'])
  assert.is(await runsOf(context), 1)
  assert.is(await readFile(join(context.folder, 'arguments'), 'utf8'), 'hello a b\n')
  assert.equal(JSON.parse(await readFile(join(context.folder, 'told'), 'utf8')), {
    kind: 'ExecCredential',
    apiVersion: 'client.authentication.k8s.io/v1',
    spec: { cluster: { server: context.url, config: { region: 'north' } }, interactive: false },
  })
})

test('a program is run again when its credentials have expired', async (context) => {
  const status = '{"token":"abc","expirationTimestamp":"2026-01-01T00:01:00Z"}'
  const command = await program(context, answering(status, 'v1beta1'))
  const parts = (await connectAs(context, exec(command, '', 'v1beta1'))).resource(kind)
  await parts.get('x')
  await parts.get('x')
  assert.is(await runsOf(context), 1)
  context.clock.advance(60_000)
  await parts.get('x')
  assert.is(await runsOf(context), 2)
})

test('a program is run again when a server refuses what it gave', async (context) => {
  const counted = `printf '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"%s"}}' $(wc -l < '${context.folder}/runs')`
  const command = await program(context, counted)
  const parts = (await connectAs(context, exec(command))).resource(kind)
  context.answer = accepting('Bearer 2')
  await parts.create({ metadata: { name: 'x' } } as never)
  assert.equal(context.seen, ['Bearer 1', 'Bearer 2'])
})

const failing: readonly [string, string, RegExp][] = [
  [
    'that fails, with what it says',
    'echo no ticket >&2; exit 3',
    /failed with exit code 3: no ticket$/,
  ],
  ['that prints no JSON', 'echo hello', /prints something that is no JSON$/],
  ['that prints a list', 'echo "[]"', /prints no JSON object$/],
  [
    'that speaks another version',
    answering('{"token":"a"}', 'v1beta1'),
    /prints ExecCredential of client.authentication.k8s.io\/v1beta1, where an ExecCredential of client.authentication.k8s.io\/v1 is expected$/,
  ],
  [
    'that gives nothing',
    answering('{}'),
    /prints neither a token nor a certificate in its status$/,
  ],
  [
    'that gives half of a pair',
    answering('{"clientCertificateData":"c"}'),
    /prints a certificate without its key$/,
  ],
  [
    'that gives something of another type',
    answering('{"token":7}'),
    /prints an ExecCredential with status.token: /,
  ],
  [
    'that does not stop printing',
    'while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done',
    /prints more than 1048576 bytes$/,
  ],
]

for (const [name, answer, message] of failing) {
  test(`a program ${name} is an error that names it, and no request is sent`, async (context) => {
    const command = await program(context, answer)
    const parts = (await connectAs(context, exec(command))).resource(kind)
    const error = await assertRejects(parts.get('x'), 'Unauthorized')
    assert.match(error.message, message)
    assert.match(error.message, `user "ann": ${join(context.folder, 'plugin')}: `)
    assert.is(context.seen.length, 0)
  })
}

test('a program that is not there is an error with the hint of how to install it', async (context) => {
  const user = exec('no-such-program', ', installHint: "brew install it"')
  const parts = (await connectAs(context, user)).resource(kind)
  const error = await assertRejects(parts.get('x'), 'Unauthorized')
  assert.match(error.message, /no-such-program: there is no such program\nbrew install it$/)
})

test('a program that needs a person fails where there is no terminal', async (context) => {
  const command = await program(context, answering('{"token":"a"}'))
  const user = exec(command).replace('Never', 'Always')
  const parts = (await connectAs(context, user)).resource(kind)
  const error = await assertRejects(parts.get('x'), 'Unauthorized')
  assert.match(error.message, /wants to talk to a person \(interactiveMode Always\)/)
})

// N-18
test('in a cluster, the folder of the service account and two variables say it all', async (context) => {
  for (const [name, text] of [
    ['token', 'tok'],
    ['ca.crt', 'CA'],
    ['namespace', 'shop'],
  ] as const) {
    await writeFile(join(context.folder, name), text)
  }
  const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' }
  const { folder, clock } = context
  const config = await inClusterConfig({ folder, clock, environment })
  assert.is(config.server, 'https://[fd00::1]:443')
  assert.is(config.namespace, 'shop')
  assert.equal(await config.credentials?.current(), { token: 'tok', ca: 'CA' })
  await writeFile(join(folder, 'token'), 'next')
  clock.advance(10_000)
  assert.equal(await config.credentials?.current(), { token: 'next', ca: 'CA' })
  const own = { ORCH_SERVICE_HOST: '10.0.0.1', ORCH_SERVICE_PORT: '6443' }
  assert.is((await inClusterConfig({ folder, environment: own })).server, 'https://10.0.0.1:6443')
})

test('outside of a cluster, what a cluster says is named', async () => {
  const error = await assertRejects(inClusterConfig({ environment: {} }), 'BadRequest')
  assert.match(error.message, /in no cluster: there, ORCH_SERVICE_HOST or KUBERNETES_SERVICE_HOST/)
})

test.run()
