import { X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { certificateSigningRequests } from '../../../../generated/apis/certificates/v1.ts'
import { controllers as known } from '../../../../generated/controllers.ts'
import { platform as own } from '../../../../generated/platform.ts'
import { createClient } from '../../../../runtime/client/client.ts'
import {
  createControllerManager,
  defaultConfiguration,
} from '../../../../runtime/controller-manager/controller-manager.ts'
import { decideApproval } from '../../../../runtime/controller-manager/identity/certificate-requests/approving.ts'
import { decideCleaning } from '../../../../runtime/controller-manager/identity/certificate-requests/cleaning.ts'
import {
  clientUsageProblem,
  nodeClientProblem,
  nodeServerProblem,
} from '../../../../runtime/controller-manager/identity/certificate-requests/node-requests.ts'
import { decideValidity } from '../../../../runtime/controller-manager/identity/certificate-requests/signing.ts'
import { silentLog } from '../../../../runtime/observe/observe.ts'
import { startControlPlane, virtualClock } from '../../../../runtime/testing/testing.ts'
import { certificateRequestOf } from '../../../support/certificate-requests.ts'
import { platformScheme } from '../../../support/platform-scheme.ts'
import { tempDirectory } from '../../../support/temp.ts'
import { newAuthority } from '../../../support/tls.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/controller-manager/identity/certificate-requests')

const node = {
  commonName: 'system:node:a',
  organizations: ['system:nodes'],
  hosts: [],
  addresses: [],
  mailAddresses: [],
  uris: [],
}
const [signature, encipherment] = ['digital signature', 'key encipherment']

test('a client certificate of a node names the node and nothing else (T-17)', () => {
  const usages = [signature, encipherment, 'client auth']
  const cases: readonly (readonly [object, readonly string[], string | undefined])[] = [
    [{}, usages, undefined],
    [{}, [signature, 'client auth'], undefined],
    [{}, ['client auth'], 'usages did not match [client auth digital signature key encipherment]'],
    [{ organizations: [] }, usages, 'subject organization is not system:nodes'],
    [{ organizations: ['system:nodes', 'x'] }, usages, 'subject organization is not system:nodes'],
    [{ hosts: ['a'] }, usages, 'DNS subjectAltNames are not allowed'],
    [{ mailAddresses: ['a'] }, usages, 'Email subjectAltNames are not allowed'],
    [{ addresses: ['1.1.1.1'] }, usages, 'IP subjectAltNames are not allowed'],
    [{ uris: ['a:b'] }, usages, 'URI subjectAltNames are not allowed'],
    [{ commonName: 'a' }, usages, 'subject common name does not begin with system:node:'],
  ]
  for (const [change, given, why] of cases) {
    assert.is(nodeClientProblem({ ...node, ...change }, given), why)
  }
})

test('a serving certificate of a node has a name or an address (T-17)', () => {
  const usages = [signature, encipherment, 'server auth']
  const served = { ...node, hosts: ['a'] }
  assert.is(nodeServerProblem(served, usages), undefined)
  assert.is(nodeServerProblem({ ...node, addresses: ['1.1.1.1'] }, usages), undefined)
  assert.is(nodeServerProblem(node, usages), 'DNS or IP subjectAltName is required')
  const uri = nodeServerProblem({ ...served, uris: ['a:b'] }, usages)
  assert.is(uri, 'URI subjectAltNames are not allowed')
  assert.is(
    nodeServerProblem(served, [signature, 'client auth']),
    'usages did not match [digital signature key encipherment server auth]',
  )
})

test('a client certificate is for clients alone (T-17)', () => {
  assert.is(clientUsageProblem([signature, 'client auth']), undefined)
  assert.is(
    clientUsageProblem(['client auth', 'server auth']),
    'invalid usage for client certificate: server auth',
  )
  assert.is(
    clientUsageProblem([signature]),
    'missing required usage for client certificate: client auth',
  )
})

test('a node may request for itself, or for any node; others are left to people (T-17)', async () => {
  const { platform } = await import('../../../../generated/platform.ts')
  const spec = {
    signerName: 'orch.io/orch-apiserver-client-orchlet',
    username: 'system:node:a',
    usages: [signature, 'client auth'],
  }
  const rights = (change: object) =>
    decideApproval({ spec: { ...spec, ...change } } as never, node, platform)
  const own = rights({}).map(({ subresource }) => subresource)
  assert.equal(own, ['selfnodeclient', 'nodeclient'])
  assert.equal(rights({ username: 'bootstrap' })[0], {
    subresource: 'nodeclient',
    message: 'Auto approving orchlet client certificate after SubjectAccessReview.',
  })
  assert.equal(rights({ signerName: 'orch.io/orch-apiserver-client' }), [])
  assert.equal(rights({ usages: ['client auth'] }), [])
})

test('a certificate is good for as long as was asked for, within bounds (T-17)', () => {
  const minute = 60_000
  const year = 8760 * 60 * minute
  const lengths = (seconds: number | undefined, longest = year) => {
    const { validFrom, validUntil } = decideValidity(seconds, longest, 0)
    return [validFrom / minute, validUntil / minute]
  }
  assert.equal(lengths(undefined), [-5, year / minute - 5])
  assert.equal(lengths(3600), [-5, 60])
  assert.equal(lengths(60), [-5, 10])
  assert.equal(lengths(8 * 3600), [-5, 475])
  assert.equal(lengths(2 * 31_536_000), [-5, year / minute - 5])
  assert.equal(lengths(3600, minute), [-5, 1])
})

test('a request goes an hour after it was decided, a day after it was not, or with its certificate (T-17)', () => {
  const metadata = { creationTimestamp: '2026-01-01T00:00:00Z' }
  const now = Date.parse('2026-01-01T02:00:00Z')
  const hour = 3_600_000
  const at = (lastUpdateTime: string) => ({ status: 'True', lastUpdateTime })
  const due = (status: object) => decideCleaning({ metadata, status } as never, now)
  assert.is(due({}), 22 * hour)
  assert.is(due({ conditions: [{ type: 'Denied', ...at('2026-01-01T00:30:00Z') }] }), -hour / 2)
  assert.is(due({ conditions: [{ type: 'Failed', ...at('2026-01-01T01:30:00Z') }] }), hour / 2)
  const approved = { type: 'Approved', ...at('2026-01-01T01:30:00Z') }
  assert.is(due({ conditions: [approved] }), undefined)
  assert.is(due({ conditions: [approved], certificate: 'AAAA' }), hour / 2)
})

for (const platform of ['orch', 'kubernetes']) {
  const [domain, prefix, agent] =
    platform === 'orch' ? ['orch.io', 'orch', 'orchlet'] : ['kubernetes.io', 'kube', 'kubelet']
  test(`what nodes request is approved, signed and cleaned away: ${platform} (T-17)`, async () => {
    const scheme = await platformScheme(platform)
    const clock = virtualClock(Date.now())
    await using plane = await startControlPlane({
      ...(scheme && { scheme }),
      ...{ clock, authorization: 'RBAC' },
      controllers: [
        'certificatesigningrequest-approving-controller',
        'certificatesigningrequest-cleaner-controller',
      ],
    })
    const client = createClient(plane.transport, { platform: own })
    const folder = tempDirectory()
    const authority = await newAuthority()
    writeFileSync(join(folder, 'ca.crt'), authority.cert)
    writeFileSync(join(folder, 'ca.key'), authority.key)
    const configuration = await defaultConfiguration()
    const names = plane.scheme.platform
    const name = 'certificatesigningrequest-signing-controller'
    const signer = await createControllerManager({
      ...{ clock, log: silentLog, gates: new Set() as never, platform: names, keepAlive: false },
      client,
      controllers: known.filter(({ controller }) => controller === name),
      configuration: {
        ...configuration,
        CSRSigningController: {
          ...configuration.CSRSigningController,
          ClusterSigningCertFile: join(folder, 'ca.crt'),
          ClusterSigningKeyFile: join(folder, 'ca.key'),
        },
      },
    })
    const stop = new AbortController()
    const running = signer.run(stop.signal)
    const requests = client.resource(certificateSigningRequests)
    const request = async (title: string, subject: string, change: object = {}) => {
      const pem = await certificateRequestOf(subject)
      const signerName = `${domain}/${prefix}-apiserver-client-${agent}`
      const spec = {
        request: Buffer.from(pem).toString('base64'),
        ...{ signerName, usages: [signature, 'client auth'] },
        ...change,
      }
      await requests.create({ metadata: { name: title }, spec } as never)
    }
    await request('own', 'O=system:nodes,CN=system:node:a', { expirationSeconds: 3600 })
    const signed = await until('the certificate', async () => {
      await clock.advance(1000)
      const { status } = await requests.get('own')
      return status?.certificate ? status : undefined
    })
    const [condition] = signed.conditions ?? []
    assert.is(condition?.type, 'Approved')
    assert.is(condition?.reason, 'AutoApproved')
    assert.is(
      condition?.message,
      `Auto approving ${agent} client certificate after SubjectAccessReview.`,
    )
    const certificate = new X509Certificate(Buffer.from(signed.certificate ?? '', 'base64'))
    assert.is(certificate.subject, 'O=system:nodes\nCN=system:node:a')
    assert.ok(certificate.verify(new X509Certificate(authority.cert).publicKey))

    await request('wrong', 'CN=ann', {
      signerName: `${domain}/${prefix}-apiserver-client`,
      usages: ['server auth'],
    })
    const wrong = await requests.get('wrong')
    const approval = { type: 'Approved', status: 'True', reason: 'Test', message: '' } as const
    await requests.update({ ...wrong, status: { conditions: [approval] } } as never, {
      subresource: 'approval',
    })
    const failure = await until('the failure', async () => {
      await clock.advance(1000)
      const { status } = await requests.get('wrong')
      return status?.conditions?.find(({ type }) => type === 'Failed')
    })
    assert.is(failure.reason, 'SignerValidationFailure')
    assert.is(failure.message, 'invalid usage for client certificate: server auth')
    await clock.advance(3_700_000)
    await until('both are gone', async () => {
      await clock.advance(1000)
      for await (const _ of requests.list()) return false
      return true
    })
    stop.abort()
    await running
  })
}

test.run()
