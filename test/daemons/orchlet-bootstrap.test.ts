/** A node that has nothing but a bootstrap token gets its certificates from the cluster, and keeps them (G-12, D5.5). */
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { certificateSigningRequests } from '../../generated/apis/certificates/v1.ts'
import { nodes } from '../../generated/apis/core/v1/node.ts'
import { secrets } from '../../generated/apis/core/v1/secret.ts'
import { clusterRoleBindings } from '../../generated/apis/rbac/v1.ts'
import { platform } from '../../generated/platform.ts'
import type { Client } from '../../runtime/client/client.ts'
import { connect, loadConfig } from '../../runtime/connection/connection.ts'
import {
  clientRequest,
  keepCertificate,
  renewalTime,
} from '../../runtime/node-certificates/node-certificates.ts'
import { silentLog } from '../../runtime/observe/observe.ts'
import { fakeClock } from '../support/clock.ts'
import { orchCommand, type Running, runNode, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const tests = suite('daemons/orchlet: certificates')
const command = fileURLToPath(new URL('../../packed/orchlet.js', import.meta.url))
const home = tempDirectory()
const file = (name: string) => join(home, name)
const { domain, prefix, agent } = platform
const clientFile = file(`agent/pki/${agent}-client-current.pem`)

let up: Running
let client: Client
let node: Running

const flags = [
  ...[`--orchconfig=${file('node')}`, `--bootstrap-orchconfig=${file('bootstrap')}`],
  ...[`--root-dir=${file('agent')}`, '--hostname-override=n1', '--healthz-port=0'],
  ...['--fail-swap-on=false', '--address=127.0.0.1', '--port=0', '--register-node'],
  ...['--container-runtime-endpoint=embedded', '--rotate-certificates'],
  '--rotate-server-certificates',
]

tests.before(async () => {
  up = await startProgram(orchCommand, ['up', '--orchconfig', file('admin')])
  client = await connect(file('admin'))
  const bindings = client.resource(clusterRoleBindings)
  const bind = (name: string, role: string) =>
    bindings.create({
      metadata: { name },
      roleRef: { apiGroup: `rbac.authorization.${platform.api}`, kind: 'ClusterRole', name: role },
      subjects: [
        {
          apiGroup: `rbac.authorization.${platform.api}`,
          ...{ kind: 'Group', name: 'system:bootstrappers' },
        },
      ],
    })
  await bind('bootstrappers', 'system:node-bootstrapper')
  const requests = `system:certificates.${platform.api}:certificatesigningrequests`
  await bind('approved', `${requests}:nodeclient`)
  await client
    .resource(secrets)
    .in(`${prefix}-system`)
    .create({
      metadata: { name: 'bootstrap-token-abcdef' },
      type: `bootstrap.${domain}/token`,
      stringData: {
        ...{ 'token-id': 'abcdef', 'token-secret': '0123456789abcdef' },
        'usage-bootstrap-authentication': 'true',
      },
    })
  const { server, ca = '' } = await loadConfig(file('admin'))
  const data = Buffer.from(ca).toString('base64')
  writeFileSync(
    file('bootstrap'),
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
      clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': data } }],
      users: [{ name: 'c', user: { token: 'abcdef.0123456789abcdef' } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
    }),
  )
  node = await startProgram(command, flags)
})
tests.after(async () => {
  assert.is(await node.stop(), 0)
  await client.close()
  assert.is(await up.stop(), 0)
})

const subjectIn = (path: string) => new X509Certificate(readFileSync(path)).subject

tests('the node registers as who the certificate names, whose key no other may read', async () => {
  assert.is(subjectIn(clientFile), 'O=system:nodes\nCN=system:node:n1')
  assert.ok(existsSync(file('node')))
  const { metadata } = await client.resource(nodes).get('n1')
  assert.is(metadata.name, 'n1')
  const { items } = await client.resource(certificateSigningRequests).listAll()
  const own = items.find(({ spec }) => spec.signerName.endsWith(`client-${agent}`))
  assert.is(own?.spec.signerName, `${domain}/${prefix}-apiserver-client-${agent}`)
  assert.is(own?.spec.username, 'system:bootstrap:abcdef')
  assert.equal(own?.spec.usages, ['digital signature', 'client auth'])
})

tests('its port shows what the cluster signed, once that is approved', async () => {
  const requests = client.resource(certificateSigningRequests)
  const signerName = `${domain}/${agent}-serving`
  const asked = await until('a certificate for the port is requested', async () => {
    const { items } = await requests.listAll({ fieldSelector: `spec.signerName=${signerName}` })
    return items[0]
  })
  assert.is(asked.spec.username, 'system:node:n1')
  const condition = { type: 'Approved', status: 'True', reason: 'test', message: '' } as const
  const conditions = [{ ...condition, lastUpdateTime: new Date().toISOString() }]
  const status = { ...asked.status, conditions } as typeof asked.status
  await requests.update({ ...asked, status } as typeof asked, { subresource: 'approval' })
  const { status: known } = await client.resource(nodes).get('n1')
  const port = known?.daemonEndpoints?.orchletEndpoint?.Port ?? 0
  await until('the port shows it', async () => (await shownAt(port)).includes('CN=system:node:n1'))
})

tests('what is there is used again, and one that has gone is requested anew', async () => {
  const before = readFileSync(clientFile, 'utf8')
  assert.is(await node.stop(), 0)
  node = await startProgram(command, flags)
  assert.is(readFileSync(clientFile, 'utf8'), before)
  assert.is(await node.stop(), 0)
  rmSync(clientFile)
  node = await startProgram(command, flags)
  assert.is(subjectIn(clientFile), 'O=system:nodes\nCN=system:node:n1')
  assert.is.not(readFileSync(clientFile, 'utf8'), before)
})

tests('a certificate is renewed before its end, as the node itself', async () => {
  await client.resource(clusterRoleBindings).create({
    metadata: { name: 'renewed' },
    roleRef: {
      ...{ apiGroup: `rbac.authorization.${platform.api}`, kind: 'ClusterRole' },
      name: `system:certificates.${platform.api}:certificatesigningrequests:selfnodeclient`,
    },
    subjects: [
      { apiGroup: `rbac.authorization.${platform.api}`, kind: 'Group', name: 'system:nodes' },
    ],
  })
  const [cert, key] = [readFileSync(clientFile, 'utf8'), readFileSync(clientFile, 'utf8')]
  const { validTo, validFrom } = new X509Certificate(cert)
  const clock = fakeClock(Date.now())
  const asNode = await connect(file('node'))
  const done = new AbortController()
  let kept = { cert, key }
  const keeping = keepCertificate(
    {
      ...{ client: asNode, clock, random: () => 0, log: silentLog, limitMs: 3_600_000 },
      request: clientRequest('n1', platform),
      current: async () => kept,
      async keep(pair) {
        kept = pair
      },
    },
    done.signal,
  )
  await until('it waits for the time', () => clock.waiting > 0)
  assert.is(kept.cert, cert)
  clock.advance((Date.parse(validTo) - Date.parse(validFrom)) * 0.71)
  await until('another one is kept', () => kept.cert !== cert)
  assert.is(new X509Certificate(kept.cert).subject, 'O=system:nodes\nCN=system:node:n1')
  done.abort()
  await keeping
  await asNode.close()
})

tests('without a place for what it gets, nothing is requested', async () => {
  const { code, stderr } = await runNode(command, [
    ...[`--bootstrap-orchconfig=${file('bootstrap')}`, `--root-dir=${file('other')}`],
  ])
  assert.is(code, 1)
  assert.match(stderr, 'say with --orchconfig where the connection is to be written')
})

tests('a certificate is renewed between seven and nine tenths of its time', () => {
  const times = { validFrom: 1_000, validUntil: 11_000 }
  assert.is(
    renewalTime(times, () => 0),
    8_000,
  )
  assert.is(
    renewalTime(times, () => 1),
    10_000,
  )
})

/** The subject of the certificate that a port shows. */
function shownAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      const shown = new X509Certificate(socket.getPeerCertificate().raw).subject
      socket.destroy()
      resolve(shown)
    })
    socket.on('error', reject)
  })
}

tests.run()
