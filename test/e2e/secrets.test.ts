/** Secrets that are planted in files, headers and objects come out nowhere: not in logs, records, metrics or arguments. */

import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { apiserverCommand, orchCommand, type Running, startProgram } from '../support/orch.ts'
import { newSigningKey, privatePem } from '../support/service-accounts.ts'
import { tempDirectory } from '../support/temp.ts'
import { clientPair, getOverTls, newAuthority, serverPair } from '../support/tls.ts'
import { until } from '../support/until.ts'

const test = suite('e2e: planted secrets')

/** A file that is read by the server, the folder of what it writes, and what must not come out. */
interface Planted {
  readonly given: string
  readonly written: string
  readonly secrets: Map<string, string>
}

function planted(): Planted {
  return { given: tempDirectory(), written: tempDirectory(), secrets: new Map() }
}

/** Everything that a running server shows: its output up to now, its arguments and its environment. */
function collect(running: Running): { readonly texts: () => ReadonlyMap<string, string> } {
  let printed = running.greeting
  for (const stream of [running.process.stdout, running.process.stderr]) {
    stream?.on('data', (text: string) => {
      printed += text
    })
  }
  const process = (name: string): string => {
    try {
      return readFileSync(`/proc/${running.process.pid}/${name}`, 'utf8')
    } catch {
      return ''
    }
  }
  const [args, environment] = [process('cmdline'), process('environ')]
  return {
    texts: () =>
      new Map([
        ['output', printed],
        ['arguments', args],
        ['environment', environment],
      ]),
  }
}

/** Fails with the name of the secret and the place where it stands. What the server wrote is for its owner alone. */
function assertHidden({ written, secrets }: Planted, shown: ReadonlyMap<string, string>): void {
  const texts = new Map(shown)
  for (const name of readdirSync(written)) {
    const file = join(written, name)
    texts.set(name, readFileSync(file, 'latin1'))
    if (name.endsWith('.key')) assert.is(statSync(file).mode & 0o077, 0, name)
  }
  for (const [what, secret] of secrets) {
    for (const [where, text] of texts) assert.not(text.includes(secret), `${what} in ${where}`)
  }
}

/** A part of a key that is found in no other. */
function partOf(key: string): string {
  return key.split('\n')[1]?.slice(40) ?? ''
}

test('certificates, their keys and headers with credentials', async () => {
  const place = planted()
  const authority = await newAuthority()
  const [pair, renewed] = [await serverPair(authority), await serverPair(authority)]
  const jane = await clientPair(authority, 'jane')
  place.secrets.set('the key of the server', partOf(pair.key))
  place.secrets.set('its next key', partOf(renewed.key))
  place.secrets.set('half a key', 'planted-half-a-key')
  place.secrets.set('a bearer token', 'planted-bearer-token')
  place.secrets.set('a password', Buffer.from('jane:planted-password').toString('base64'))
  const file = (name: string) => join(place.given, name)
  await writeFile(file('tls.crt'), pair.cert)
  await writeFile(file('tls.key'), pair.key)
  await writeFile(file('clients.crt'), authority.cert)
  await writeFile(
    file('policy.yaml'),
    'apiVersion: audit.orch.io/v1\nkind: Policy\nrules: [{ level: RequestResponse }]\n',
  )
  const running = await startProgram(apiserverCommand, [
    ...['--secure-port=0', `--tls-cert-file=${file('tls.crt')}`, '-v=10'],
    ...[`--tls-private-key-file=${file('tls.key')}`, `--client-ca-file=${file('clients.crt')}`],
    ...[
      `--audit-policy-file=${file('policy.yaml')}`,
      `--audit-log-path=${place.written}/audit.log`,
    ],
  ])
  const shown = collect(running)
  const ca = authority.cert
  const get = (path: string, options: object = {}) =>
    getOverTls(running.url + path, { ca, ...options })
  for (const authorization of [
    'Bearer planted-bearer-token',
    `Basic ${place.secrets.get('a password')}`,
    'planted-bearer-token',
  ]) {
    assert.is((await get('/api/v1/namespaces', { headers: { authorization } })).status, 401)
    const asJane = { ...jane, headers: { authorization } }
    assert.is((await get('/api/v1/namespaces', asJane)).status, 200)
  }
  await writeFile(file('tls.key'), '-----BEGIN PRIVATE KEY-----\nplanted-half-a-key')
  await until('the broken key to be told', () =>
    shown.texts().get('output')?.includes('cannot be read'),
  )
  await writeFile(file('tls.crt'), renewed.cert)
  await writeFile(file('tls.key'), renewed.key)
  const metrics = (await get('/metrics', jane)).text
  assert.is(await running.stop(), 0)
  assertHidden(place, new Map([...shown.texts(), ['metrics', metrics]]))
})

test('a key that the server makes itself', async () => {
  const place = planted()
  const running = await startProgram(apiserverCommand, [
    ...['--secure-port=0', `--cert-dir=${place.written}`, '-v=10'],
  ])
  const shown = collect(running)
  const key = readFileSync(join(place.written, 'apiserver.key'), 'utf8')
  assert.is(await running.stop(), 0)
  for (const [where, text] of shown.texts()) assert.not(text.includes(partOf(key)), where)
  assertHidden(place, shown.texts())
})

test('what an audit webhook is shown, and what it answers', async () => {
  const place = planted()
  place.secrets.set('the token of the webhook', 'planted-webhook-token')
  place.secrets.set('its answer', 'planted-answer')
  place.secrets.set('a bearer token', 'planted-bearer-token')
  const file = (name: string) => join(place.given, name)
  let asked = 0
  let sent = ''
  const service = createServer((request, response) => {
    assert.is(request.headers.authorization, 'Bearer planted-webhook-token')
    request.on('data', (chunk: Buffer) => {
      sent += chunk
    })
    request.on('end', () => {
      asked++
      response.writeHead(500).end('planted-answer')
    })
  })
  service.listen(0, '127.0.0.1').unref()
  await once(service, 'listening')
  const { port } = service.address() as AddressInfo
  await writeFile(
    file('webhook'),
    `apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: 'http://127.0.0.1:${port}' } }]
users: [{ name: u, user: { token: planted-webhook-token } }]
contexts: [{ name: c, context: { cluster: c, user: u } }]
current-context: c
`,
  )
  await writeFile(
    file('policy.yaml'),
    'apiVersion: audit.orch.io/v1\nkind: Policy\nrules: [{ level: RequestResponse }]\n',
  )
  const running = await startProgram(apiserverCommand, [
    ...['--insecure-port=0', '-v=10', `--audit-policy-file=${file('policy.yaml')}`],
    ...[`--audit-webhook-config-file=${file('webhook')}`, '--audit-webhook-initial-backoff=1ms'],
    '--audit-webhook-batch-max-wait=1ms',
  ])
  const shown = collect(running)
  const headers = { authorization: 'Bearer planted-bearer-token' }
  await (await fetch(`${running.url}/api/v1/namespaces`, { headers })).text()
  await until('the records to be lost', () =>
    shown.texts().get('output')?.includes('the webhook does not take them'),
  )
  const metrics = await (await fetch(`${running.url}/metrics`)).text()
  assert.match(metrics, /^apiserver_audit_error_total\{plugin="webhook"\} [1-9]/m)
  assert.is(await running.stop(), 0)
  assert.ok(asked >= 5)
  assertHidden(place, new Map([...shown.texts(), ['metrics', metrics]]))
  assert.not.match(sent, 'planted')
})

/** A service that reviews tokens and access: it knows one token, and allows everything. */
async function startReviews(
  known: string,
): Promise<{ readonly port: number; readonly credentials: Set<string> }> {
  const credentials = new Set<string>()
  const service = createServer((request, response) => {
    credentials.add(request.headers.authorization ?? '')
    let text = ''
    request.on('data', (chunk: Buffer) => {
      text += chunk
    })
    request.on('end', () => {
      const { kind, apiVersion, spec } = JSON.parse(text)
      const status =
        kind === 'TokenReview'
          ? {
              authenticated: spec.token === known,
              user: { username: 'hook' },
              error: `no: ${spec.token}`,
            }
          : { allowed: true, reason: 'planted-reason-is-shown' }
      response.end(JSON.stringify({ kind, apiVersion, status }))
    })
  })
  service.listen(0, '127.0.0.1').unref()
  await once(service, 'listening')
  return { port: (service.address() as AddressInfo).port, credentials }
}

test('tokens of every kind, keys that sign them, objects that hold them, and credentials of webhooks', async () => {
  const place = planted()
  const file = (name: string) => join(place.given, name)
  const plant = (what: string, secret: string): string => {
    place.secrets.set(what, secret)
    return secret
  }
  const known = plant('a token that a webhook knows', 'planted-hook-token')
  const reviews = await startReviews(known)
  const orchconfig = (token: string) => `apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: 'http://127.0.0.1:${reviews.port}' } }]
users: [{ name: u, user: { token: ${token} } }]
contexts: [{ name: c, context: { cluster: c, user: u } }]
current-context: c
`
  const signing = newSigningKey('P-256')
  const pem = privatePem(signing)
  plant('the key of tokens', partOf(pem))
  await writeFile(file('sa.key'), pem)
  await writeFile(
    file('tokens.csv'),
    `${plant('a static token', 'planted-static')},admin,1,"system:masters"\n`,
  )
  await writeFile(
    file('authn'),
    orchconfig(plant('credentials of token reviews', 'planted-authn-hook')),
  )
  await writeFile(
    file('authz'),
    orchconfig(plant('credentials of access reviews', 'planted-authz-hook')),
  )
  await writeFile(
    file('policy.yaml'),
    'apiVersion: audit.orch.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n',
  )
  const running = await startProgram(apiserverCommand, [
    ...['--insecure-port=0', '-v=10', '--authorization-mode=RBAC,Webhook'],
    ...[`--token-auth-file=${file('tokens.csv')}`, '--enable-bootstrap-token-auth'],
    ...[
      '--service-account-issuer=https://a.test',
      `--service-account-signing-key-file=${file('sa.key')}`,
    ],
    ...[`--authentication-token-webhook-config-file=${file('authn')}`],
    ...[`--authorization-webhook-config-file=${file('authz')}`],
    ...[
      `--audit-policy-file=${file('policy.yaml')}`,
      `--audit-log-path=${place.written}/audit.log`,
    ],
  ])
  const shown = collect(running)
  const ask = async (
    token: string,
    path: string,
    body?: unknown,
    method = 'POST',
    type = 'application/json',
  ) => {
    const response = await fetch(running.url + path, {
      ...(body !== undefined && {
        method,
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
    })
    return { status: response.status, text: await response.text() }
  }
  const errors: string[] = []
  const refused = async (status: number, answer: Promise<{ status: number; text: string }>) => {
    const got = await answer
    assert.is(got.status, status, got.text)
    errors.push(got.text)
  }
  const admin = 'planted-static'
  const inside = '/api/v1/namespaces/default'
  const bootstrap = plant('the secret of a bootstrap token', 'planted000000001')
  assert.is(
    (
      await ask(admin, '/api/v1/namespaces/orch-system/secrets', {
        metadata: { name: 'bootstrap-token-abcdef' },
        type: 'bootstrap.orch.io/token',
        stringData: {
          ...{ 'token-id': 'abcdef', 'token-secret': bootstrap },
          'usage-bootstrap-authentication': 'true',
        },
      })
    ).status,
    201,
  )
  await ask(admin, `${inside}/serviceaccounts`, { metadata: { name: 'robot' } })
  const issued = await ask(admin, `${inside}/serviceaccounts/robot/token`, {})
  const token: string = plant('an issued token', JSON.parse(issued.text).status.token)
  place.secrets.set('its signature', token.split('.')[2] ?? '')
  for (const good of [admin, known, token, `abcdef.${bootstrap}`]) {
    assert.is((await ask(good, `${inside}/configmaps`)).status, 200)
  }
  const value = plant('a value of an object', 'planted-value')
  place.secrets.set('the same, encoded', Buffer.from(value).toString('base64'))
  const secret = { metadata: { name: 's' }, stringData: { key: value } }
  assert.is((await ask(admin, `${inside}/secrets`, secret)).status, 201)
  const merge = 'application/merge-patch+json'
  const data = { data: { key: Buffer.from(value).toString('base64') } }
  assert.is((await ask(admin, `${inside}/secrets/s`, data, 'PATCH', merge)).status, 200)
  await refused(422, ask(admin, `${inside}/secrets`, { ...secret, metadata: { name: 'A B' } }))
  await refused(409, ask(admin, `${inside}/secrets`, secret))
  await refused(404, ask(admin, `${inside}/secrets/none`, data, 'PATCH', merge))
  const review = { spec: { token: plant('a token that nobody knows', 'planted-unknown') } }
  const reviewed = await ask(admin, '/apis/authentication.orch.io/v1/tokenreviews', review)
  assert.not.match(JSON.stringify(JSON.parse(reviewed.text).status), 'planted-unknown')
  for (const bad of [
    'planted-unknown',
    `${token}x`,
    `abcdef.${plant('another', 'planted000000002')}`,
  ]) {
    await refused(401, ask(bad, `${inside}/configmaps`))
  }
  await refused(
    401,
    ask(plant('a long token', 'planted'.repeat(4000).slice(0, 12_000)), `${inside}/configmaps`),
  )
  const metrics = (await ask(admin, '/metrics')).text
  assert.equal([...reviews.credentials].sort(), [
    'Bearer planted-authn-hook',
    'Bearer planted-authz-hook',
  ])
  assert.is(await running.stop(), 0)
  const told = errors.join('\n')
  assertHidden(place, new Map([...shown.texts(), ['metrics', metrics], ['answers', told]]))
})

test('what orch up makes is for its owner alone, and is printed nowhere', async () => {
  const folder = tempDirectory()
  const running = await startProgram(orchCommand, ['up', '--port=0', '--data-dir=data'], folder)
  const shown = collect(running)
  const kept = join(folder, 'data')
  const files = readdirSync(kept, { recursive: true, encoding: 'utf8' })
  const secrets = new Map<string, string>()
  for (const name of files) {
    const path = join(kept, name)
    const { mode, size } = statSync(path)
    if (size > 0) assert.is(mode & 0o077, 0, name)
    if (statSync(path).isFile() && name.endsWith('.key'))
      secrets.set(name, partOf(readFileSync(path, 'utf8')))
  }
  assert.ok(secrets.size >= 3, files.join())
  assert.is(await running.stop(), 0)
  for (const [name, secret] of secrets) {
    for (const [where, text] of shown.texts())
      assert.not(text.includes(secret), `${name} in ${where}`)
  }
})

test.run()
