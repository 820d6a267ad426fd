/** The config map by which other servers of the cluster know clients and proxies as this one does (O-03). */
import { X509Certificate } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decideClusterAuthentication } from '../../../../runtime/controllers/identity/cluster-authentication.ts'
import { type CustomServer, startCustom } from '../../../support/custom.ts'
import { tempDirectory } from '../../../support/temp.ts'
import { newAuthority, serverPair } from '../../../support/tls.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/controllers: what clients and proxies are known by')
const path = '/api/v1/namespaces/orch-system/configmaps/extension-apiserver-authentication'

const authority = await newAuthority()
const [clients, proxies, more] = [
  await newAuthority('clients'),
  await newAuthority('proxies'),
  await newAuthority('more proxies'),
]
const certificate = await serverPair(authority)
const none = { allowedNames: [], usernameHeaders: [], groupHeaders: [], extraHeaderPrefixes: [] }

test('nothing is published where nobody is known by a certificate', () => {
  assert.equal(decideClusterAuthentication({}, { clients: [], proxies: [], ...none }, 0), {})
})

test('servers that share a store add to it; certificates that have run out, and what cannot be read, go', () => {
  const stored = {
    'requestheader-client-ca-file': proxies.cert,
    'requestheader-allowed-names': '["one"]',
    'requestheader-group-headers': '{broken',
    'client-ca-file': clients.cert,
  }
  const own = {
    ...{ ...none, allowedNames: ['one', 'two'], usernameHeaders: ['X-Remote-User'] },
    proxies: [new X509Certificate(more.cert), new X509Certificate(proxies.cert)],
    clients: [],
  }
  const both = [proxies, more].map(({ cert }) => String(new X509Certificate(cert))).join('')
  assert.equal(decideClusterAuthentication(stored, own, Date.now()), {
    'client-ca-file': String(new X509Certificate(clients.cert)),
    'requestheader-allowed-names': '["one","two"]',
    'requestheader-client-ca-file': both,
    'requestheader-extra-headers-prefix': '[]',
    'requestheader-group-headers': '[]',
    'requestheader-username-headers': '["X-Remote-User"]',
  })
  const later = Date.now() + 1e11
  assert.equal(decideClusterAuthentication(stored, { ...own, proxies: [] }, later), {})
})

async function started(file: string): Promise<CustomServer> {
  return startCustom({
    secure: {
      ...{ port: 0, certificate, clientAuthorities: { pem: clients.cert } },
      requestHeader: {
        authorities: { file },
        allowedNames: ['front-proxy'],
        usernameHeaders: ['X-Remote-User'],
        groupHeaders: ['X-Remote-Group'],
        extraHeaderPrefixes: ['X-Remote-Extra-'],
      },
    },
  })
}

test('it is there from the start, comes back, and follows the files of authorities', async () => {
  const file = join(tempDirectory(), 'proxies.crt')
  await writeFile(file, proxies.cert)
  const { server, stop } = await started(file)
  const request = async (method: string) => {
    const { status, body } = await server.dispatch({ method, path, headers: {} })
    const parts: Uint8Array[] = []
    for await (const part of body) parts.push(part)
    return { status, json: JSON.parse(Buffer.concat(parts).toString()) }
  }
  const { status, json } = await request('GET')
  assert.is(status, 200)
  assert.is(json.data['requestheader-allowed-names'], '["front-proxy"]')
  assert.is(json.data['client-ca-file'], String(new X509Certificate(clients.cert)))
  await request('DELETE')
  await until('it is back', async () => (await request('GET')).status === 200)
  await writeFile(`${file}.next`, more.cert)
  await rename(`${file}.next`, file)
  const wanted = String(new X509Certificate(more.cert))
  await until('it names the new authority', async () =>
    (await request('GET')).json.data['requestheader-client-ca-file'].includes(wanted),
  )
  await stop()
})

test.run()
