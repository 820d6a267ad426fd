/** `orch up` is safe by itself: certificates, who is let in, and what is written where. */
import { X509Certificate } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { certificateSigningRequests } from '../../../generated/apis/certificates/v1.ts'
import { namespaces } from '../../../generated/apis/core/v1/namespace.ts'
import { nodes } from '../../../generated/apis/core/v1/node.ts'
import { persistentVolumeClaims } from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { pods } from '../../../generated/apis/core/v1/pod.ts'
import { services } from '../../../generated/apis/core/v1/service.ts'
import { serviceAccounts } from '../../../generated/apis/core/v1/service-account.ts'
import { createAuthority, issueCertificate } from '../../../runtime/certificates/certificates.ts'
import { connect, loadConfig } from '../../../runtime/connection/connection.ts'
import { localCertificates } from '../../../tools/orch/local-certificates.ts'
import { keyedCertificateRequest } from '../../support/certificate-requests.ts'
import { orchCommand, startProgram } from '../../support/orch.ts'
import { tempDirectory } from '../../support/temp.ts'
import { clientPair, getOverTls, newAuthority } from '../../support/tls.ts'
import { until } from '../../support/until.ts'

const test = suite('tools/orch/up')
const day = 86_400_000

test('only the certificate in the orchconfig file opens more than the version and the health', async () => {
  const folder = tempDirectory()
  const running = await startProgram(orchCommand, ['up', '--data-dir', folder])
  const file = join(folder, 'orchconfig')
  const { ca } = (await loadConfig(file)) as { ca?: string }
  assert.ok(ca)
  const client = await connect(file)
  assert.is((await client.resource(namespaces).get('default')).metadata.name, 'default')
  await client.close()
  const path = `${running.url}/api/v1/namespaces`
  const stranger = await clientPair(await newAuthority(), 'admin', ['system:masters'])
  assert.is((await getOverTls(path, { ca })).status, 403)
  assert.is((await getOverTls(path, { ca, ...stranger })).status, 401)
  assert.is((await getOverTls(`${running.url}/version`, { ca })).status, 200)
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
    assert.is((await getOverTls(`${running.url}/version`, { ca, headers })).status, 403)
  }
  assert.is(await running.stop(), 0)
})

test('what was compiled until it is ready is kept, and the next start serves with it', async () => {
  const compiled = new URL('../../../packed/start.script.js.compiled', import.meta.url)
  await rm(compiled, { force: true })
  for (const start of ['without', 'with']) {
    const folder = tempDirectory()
    const running = await startProgram(orchCommand, ['up', '--data-dir', folder])
    await until('a compiled form', () => existsSync(compiled))
    const { ca = '' } = (await loadConfig(join(folder, 'orchconfig'))) as { ca?: string }
    const { status } = await getOverTls(`${running.url}/version`, { ca })
    assert.equal([start, status, await running.stop()], [start, 200, 0])
  }
})

test('a certificate that is requested and approved is signed, and lets its user in (T-17)', async () => {
  const folder = tempDirectory()
  const running = await startProgram(orchCommand, [
    ...['up', '--data-dir', folder, '--controllers=csrsigning'],
  ])
  const client = await connect(join(folder, 'orchconfig'))
  const requests = client.resource(certificateSigningRequests)
  const { request, key } = await keyedCertificateRequest('O=devs,CN=jane')
  const made = await requests.create({
    metadata: { name: 'jane' },
    spec: {
      request: Buffer.from(request).toString('base64'),
      signerName: 'orch.io/orch-apiserver-client',
      usages: ['client auth'],
    },
  })
  const conditions = [{ type: 'Approved', status: 'True' as const, reason: 'known' }]
  await requests.update({ ...made, status: { conditions } }, { subresource: 'approval' })
  const signed = await until('a certificate', async () => {
    return (await requests.get('jane')).status?.certificate
  })
  await client.close()
  const { ca } = (await loadConfig(join(folder, 'orchconfig'))) as { ca?: string }
  const cert = Buffer.from(signed, 'base64').toString()
  const { status, text } = await getOverTls(`${running.url}/api/v1/pods`, { ca, cert, key })
  assert.is(status, 403)
  assert.match(text, 'User \\"jane\\" cannot list resource')
  assert.is(await running.stop(), 0)
})

test('a certificate for other names is made anew, by the same authority', async () => {
  const folder = tempDirectory()
  const now = Date.now()
  const first = await localCertificates(folder, 'orch', now)
  const again = await localCertificates(folder, 'orch', now)
  assert.is(again.server.cert, first.server.cert)
  const other = await localCertificates(folder, 'kubernetes', now)
  assert.is(other.ca, first.ca)
  assert.is.not(other.server.cert, first.server.cert)
  assert.ok(new X509Certificate(other.server.cert).checkHost('kubernetes.default.svc'))
})

test('what is secret is in files of the owner alone, and nowhere else', async () => {
  const folder = tempDirectory()
  const running = await startProgram(orchCommand, ['up', '--data-dir', folder, '--insecure-port=0'])
  let printed = running.greeting
  for (const stream of [running.process.stdout, running.process.stderr]) {
    stream?.on('data', (text: string) => {
      printed += text
    })
  }
  assert.is((await fetch(`${running.insecureUrl}/api/v1/namespaces`)).status, 200)
  const command = await readFile(`/proc/${running.process.pid}/cmdline`, 'utf8').catch(() => '')
  const environment = await readFile(`/proc/${running.process.pid}/environ`, 'utf8').catch(() => '')
  assert.is(await running.stop(), 0)
  const certificates = join(folder, 'certificates')
  const keys = await Promise.all(
    ['ca.key', 'apiserver.key', 'admin.key', 'service-accounts.key'].map((name) =>
      readFile(join(certificates, name), 'utf8'),
    ),
  )
  for (const key of keys) {
    const secret = key.split('\n')[1] ?? ''
    assert.ok(secret.length > 40)
    for (const text of [printed, command, environment]) assert.not(text.includes(secret))
  }
  for (const name of readdirSync(certificates)) {
    assert.is(statSync(join(certificates, name)).mode & 0o077, 0, name)
  }
  assert.is(statSync(certificates).mode & 0o077, 0)
  assert.is(statSync(join(folder, 'orchconfig')).mode & 0o077, 0)
})

test('claims are protected where a controller ends that, and only there (X-21)', async () => {
  for (const [flags, finalizers] of [
    [[], ['orch.io/pvc-protection']],
    [['--controllers=*,-pvc-protection'], undefined],
  ] as const) {
    const folder = tempDirectory()
    const running = await startProgram(orchCommand, ['up', '--data-dir', folder, ...flags])
    const client = await connect(join(folder, 'orchconfig'))
    const claims = client.resource(persistentVolumeClaims).in('default')
    const spec = {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
    } as const
    const claim = await claims.create({ metadata: { name: 'data' }, spec })
    assert.equal(claim.metadata.finalizers, finalizers)
    await claims.delete('data')
    await until('the claim is gone', async () => (await claims.find('data')) === undefined)
    await client.close()
    assert.is(await running.stop(), 0)
  }
})

test('services get load balancers where a cloud is named, nodes get ranges, and both keep them when it starts again (T-12)', async () => {
  const folder = tempDirectory()
  const spec = { type: 'LoadBalancer', ports: [{ port: 80 }] } as const
  for (const start of ['first', 'second']) {
    const running = await startProgram(orchCommand, [
      ...['up', '--data-dir', folder, '--cloud-provider=memory'],
      ...['--cluster-cidr=10.9.0.0/16', '--simulated-nodes=1'],
    ])
    const client = await connect(join(folder, 'orchconfig'))
    const own = client.resource(services).in('default')
    if (start === 'first') await own.create({ metadata: { name: 'web' }, spec })
    const ip = await until('an address', async () => {
      return (await own.get('web')).status?.loadBalancer?.ingress?.[0]?.ip
    })
    assert.is(ip, '198.18.0.1')
    const range = await until('a range', async () => {
      return (await client.resource(nodes).find('node-0'))?.spec?.podCIDR
    })
    assert.is(range, '10.9.0.0/24')
    if (start === 'second') {
      await own.delete('web')
      await until('the service is gone', async () => (await own.find('web')) === undefined)
    }
    await client.close()
    assert.is(await running.stop(), 0)
  }
})

test('certificates are kept; what ends soon, is broken or is of another authority is made anew', async () => {
  const folder = join(tempDirectory(), 'certificates')
  const now = Date.now()
  const first = await localCertificates(folder, 'orch', now)
  assert.equal(await localCertificates(folder, 'orch', now + 200 * day), first)
  assert.is(
    new X509Certificate(first.server.cert).checkHost('orch.default.svc'),
    'orch.default.svc',
  )

  const later = await localCertificates(folder, 'orch', now + 300 * day)
  assert.is(later.ca, first.ca)
  assert.is.not(later.server.cert, first.server.cert)
  assert.is.not(later.admin.cert, first.admin.cert)

  await writeFile(join(folder, 'admin.key'), 'nonsense')
  const other = await createAuthority({
    commonName: 'orch authority',
    validFrom: now - day,
    validUntil: now + 1000 * day,
  })
  const facts = { commonName: 'orch-apiserver', usages: ['server'] as const }
  const foreign = await issueCertificate(
    { ...facts, validFrom: now - day, validUntil: now + 1000 * day },
    other,
  )
  await writeFile(join(folder, 'apiserver.crt'), foreign.cert)
  await writeFile(join(folder, 'apiserver.key'), foreign.key)
  const mended = await localCertificates(folder, 'orch', now)
  assert.is(mended.ca, first.ca)
  const authority = new X509Certificate(mended.ca)
  for (const { cert } of [mended.server, mended.admin]) {
    assert.ok(new X509Certificate(cert).verify(authority.publicKey))
  }

  await rm(join(folder, 'ca.key'))
  const anew = await localCertificates(folder, 'orch', now)
  assert.is.not(anew.ca, first.ca)
  assert.ok(new X509Certificate(anew.admin.cert).verify(new X509Certificate(anew.ca).publicKey))
})

test('--node makes this machine a node, whose pods run and end with it', async () => {
  const folder = tempDirectory()
  const running = await startProgram(orchCommand, ['up', '--data-dir', folder, '--node'])
  const client = await connect(join(folder, 'orchconfig'))
  const own = client.resource(pods).in('default')
  assert.ok(await client.resource(serviceAccounts).in('default').find('default'))
  const spec = {
    automountServiceAccountToken: false,
    containers: [{ name: 'main', image: 'host/sh', args: ['-c', 'sleep 1000'] }],
  }
  await own.create({ metadata: { name: 'web' }, spec })
  const pod = await until('it runs', async () => {
    const found = await own.get('web')
    return found.status?.phase === 'Running' && found
  })
  const [status] = pod.status?.containerStatuses ?? []
  assert.match(status?.containerID ?? '', /^embedded-/)
  await client.close()
  assert.is(await running.stop(), 0)
  assert.equal(readdirSync(join(folder, 'node/runtime/containers')), [])
})

test.run()
