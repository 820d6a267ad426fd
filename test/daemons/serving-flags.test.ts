/** The flags of certificates, by the daemon that they start. */
import { existsSync, statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cipherSuites } from '../../daemons/cipher-suites.ts'
import { checkApiServer } from '../support/check-config.ts'
import { apiserverCommand, runNode, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { clientPair, getOverTls, newAuthority, serverPair } from '../support/tls.ts'

const test = suite('daemons/apiserver: flags of certificates')
const authority = await newAuthority()

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
}

async function problemsOf(...args: readonly string[]): Promise<string> {
  const { code, stderr } = await checkApiServer(...args)
  assert.is(code, 1, stderr)
  return stderr
}

test('a certificate of its own is kept in --cert-dir, and verifies by the authority behind it', async () => {
  const folder = tempDirectory()
  const args = ['--secure-port=0', `--cert-dir=${folder}`, '--external-hostname=api.example']
  const running = await startProgram(apiserverCommand, args)
  assert.match(running.url, /^https:/)
  const ca = await readFile(join(folder, 'apiserver.crt'), 'utf8')
  assert.is(statSync(join(folder, 'apiserver.key')).mode & 0o077, 0)
  const options = { ca, servername: 'api.example', headers: { host: 'api.example' } }
  assert.is((await getOverTls(`${running.url}/version`, options)).status, 401)
  assert.is(await running.stop(), 0)
  const again = await startProgram(apiserverCommand, args)
  assert.is((await getOverTls(`${again.url}/version`, { ca })).status, 401)
  assert.is(await again.stop(), 0)
})

test('users have certificates; without one, nothing is answered where everything is allowed [N-06]', async () => {
  const folder = tempDirectory()
  const pair = await serverPair(authority)
  await write(folder, { 'a.crt': pair.cert, 'a.key': pair.key, 'ca.crt': authority.cert })
  const running = await startProgram(apiserverCommand, [
    ...['--bind-address=0.0.0.0', '--secure-port=0', `--client-ca-file=${folder}/ca.crt`],
    ...[`--tls-cert-file=${folder}/a.crt`, `--tls-private-key-file=${folder}/a.key`],
    ...['--tls-min-version=VersionTLS13', '--insecure-port=0'],
  ])
  const url = `https://127.0.0.1:${new URL(running.url).port}/api/v1/namespaces`
  const ca = authority.cert
  const jane = await clientPair(authority, 'jane')
  assert.is((await getOverTls(url, { ca, ...jane })).status, 200)
  assert.is((await getOverTls(url, { ca })).status, 401)
  assert.is(await running.stop(), 0)
})

test('a proxy names users in the headers that flags name', async () => {
  const folder = tempDirectory()
  const proxies = await newAuthority('proxies')
  await write(folder, { 'proxies.crt': proxies.cert })
  const running = await startProgram(apiserverCommand, [
    ...['--secure-port=0', `--cert-dir=${folder}`, '--requestheader-allowed-names=front'],
    ...[`--requestheader-client-ca-file=${folder}/proxies.crt`],
    '--requestheader-username-headers=X-Remote-User',
  ])
  const ca = await readFile(join(folder, 'apiserver.crt'), 'utf8')
  const get = async (name: string) =>
    getOverTls(`${running.url}/api/v1/namespaces`, {
      ca,
      headers: { 'X-Remote-User': 'jane' },
      ...(await clientPair(proxies, name)),
    })
  assert.is((await get('front')).status, 200)
  assert.is((await get('back')).status, 401)
  assert.is(await running.stop(), 0)
})

test('everything that is wrong is said at once, with the flag that mends it, and nothing is made', async () => {
  assert.match(await problemsOf('--bind-address=0.0.0.0'), '--secure-port 6443 --client-ca-file')
  const folder = tempDirectory()
  const pair = await serverPair(authority)
  await write(folder, { 'a.crt': pair.cert, 'b.key': (await serverPair(authority)).key })
  const flags = await problemsOf(
    ...['--tls-cert-file=x', '--tls-sni-cert-key=x', '--requestheader-client-ca-file=x'],
    '--tls-cipher-suites=TLS_AES_128_GCM_SHA265,TLS_ECDHE_RSA_WITH_RC4_128_SHA',
  )
  assert.match(flags, '--tls-cert-file and --tls-private-key-file belong together')
  assert.match(flags, '--tls-sni-cert-key x: expected CERT,KEY')
  assert.match(flags, '--requestheader-client-ca-file needs --requestheader-username-headers')
  assert.match(flags, 'unknown suite TLS_AES_128_GCM_SHA265, did you mean TLS_AES_128_GCM_SHA256?')
  assert.match(flags, 'unknown suite TLS_ECDHE_RSA_WITH_RC4_128_SHA')
  const files = await problemsOf(
    ...[`--tls-cert-file=${folder}/a.crt`, `--tls-private-key-file=${folder}/b.key`],
    ...[
      `--client-ca-file=${folder}/none`,
      `--tls-sni-cert-key=${folder}/b.key,${folder}/b.key:a.example`,
    ],
  )
  assert.match(files, `a.crt, ${folder}/b.key: the key is not that of the certificate`)
  assert.match(files, `${folder}/none`)
  assert.match(files, `${folder}/b.key: no certificate in PEM form`)
  assert.not(files.includes((await readFile(join(folder, 'b.key'), 'utf8')).slice(40, 80)))
  const made = join(folder, 'made')
  const { code } = await runNode(apiserverCommand, [`--cert-dir=${made}`, '--check-config'])
  assert.is(code, 0)
  assert.not(existsSync(made))
})

test('suites have the names of OpenSSL, and those of TLS 1.3 are always on', () => {
  const { suites } = cipherSuites(['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'], false)
  assert.match(suites ?? '', /^ECDHE-RSA-AES128-GCM-SHA256:TLS_AES_128_GCM_SHA256:/)
  assert.is(cipherSuites([], false).suites, undefined)
  assert.match(cipherSuites([], true).suites ?? '', /@SECLEVEL=0$/)
})

test.run()
