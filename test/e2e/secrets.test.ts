/** Secrets that are planted in files, headers and objects come out nowhere: not in logs, records, metrics or arguments. */

import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { apiserverCommand, type Running, startProgram } from '../support/orch.ts'
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

test.run()
