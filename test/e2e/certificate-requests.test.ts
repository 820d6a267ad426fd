/** kubectl decides about certificate requests as four users, of whom one may: the verb, the subresource, and the signer (Q-21, I-23). */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import type { RunningApiServer } from '../../runtime/apiserver/apiserver.ts'
import { compiledScheme } from '../../tools/orch/compiled-scheme.ts'
import { certificateRequestOf, keyedCertificateRequest } from '../support/certificate-requests.ts'
import { defaultKubectl, type Kubectl, kubectl } from '../support/kubectl.ts'
import { orchCommand, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { startTokenServer } from '../support/token-server.ts'
import { until } from '../support/until.ts'

const tokens = `root-token,root,1,"system:masters"
ann-token,ann,2,devs
half-token,half,3
approver-token,approver,4
`

const signer = 'example.com/ca'

const rights = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: requester }
rules: [{ apiGroups: [certificates.k8s.io], resources: [certificatesigningrequests], verbs: [create, get] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: decides }
rules:
  - { apiGroups: [certificates.k8s.io], resources: [certificatesigningrequests], verbs: [get, list] }
  - { apiGroups: [certificates.k8s.io], resources: [certificatesigningrequests/approval], verbs: [update] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: signer }
rules: [{ apiGroups: [certificates.k8s.io], resources: [signers], resourceNames: [${signer}], verbs: [approve] }]
`

function objectOf(name: string, pem: string, signerName = signer): string {
  return JSON.stringify({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: {
      request: Buffer.from(pem).toString('base64'),
      signerName,
      usages: ['client auth'],
    },
  })
}

const binary = defaultKubectl()
if (binary === undefined) console.log('SKIP kubectl: there is no kubectl in PATH')
else describe(binary)

function describe(file: string): void {
  const tests = suite('e2e: certificate requests')
  let server: RunningApiServer
  let [root, ann, half, approver] = [] as unknown as [Kubectl, Kubectl, Kubectl, Kubectl]

  tests.before(async () => {
    const names = join(packageRoot, 'schemas/platform/kubernetes.yaml')
    const scheme = await compiledScheme({ platform: names }, console.error)
    assert.ok(scheme)
    const started = await startTokenServer(file, scheme, tokens)
    server = started.server
    root = started.as('root-token')
    ann = started.as('ann-token')
    half = started.as('half-token')
    approver = started.as('approver-token')
    await root.ok('apply -f -', rights)
    await root.ok('create clusterrolebinding requesters --clusterrole=requester --group=devs')
    const deciders = '--user=half --user=approver'
    await root.ok(`create clusterrolebinding deciders --clusterrole=decides ${deciders}`)
    await root.ok('create clusterrolebinding signers --clusterrole=signer --user=approver')
    for (const name of ['good', 'bad']) {
      await ann.ok('create -f -', objectOf(name, await certificateRequestOf(`CN=${name}`)))
    }
  })
  tests.after(() => server?.stop())

  tests('a request says who made it', async () => {
    const table = await approver.ok('get csr')
    assert.match(table, /^good +\S+ +example.com\/ca +ann +\S+ +Pending *$/m)
  })

  tests('who may not decide is refused', async () => {
    const { code, stderr } = await ann.run('certificate approve good')
    assert.is(code, 1)
    assert.match(
      stderr,
      'User "ann" cannot update resource "certificatesigningrequests/approval" in API group "certificates.k8s.io" at the cluster scope',
    )
  })

  for (const verb of ['approve', 'deny']) {
    tests(`who may not decide for the signer is refused to ${verb}`, async () => {
      const { code, stderr } = await half.run(`certificate ${verb} good`)
      assert.is(code, 1)
      assert.match(stderr, `user not permitted to approve requests with signerName "${signer}"`)
    })
  }

  tests('who may, does', async () => {
    await approver.ok('certificate approve good')
    await approver.ok('certificate deny bad')
    const table = await approver.ok('get csr')
    assert.match(table, /^good .* Approved *$/m)
    assert.match(table, /^bad .* Denied *$/m)
    const again = await approver.run('certificate deny good')
    assert.match(again.stderr, 'already Approved')
  })

  tests('who administrates needs no role for it', async () => {
    await ann.ok('create -f -', objectOf('third', await certificateRequestOf('CN=third')))
    await root.ok('certificate approve third')
    assert.match(await root.ok('get csr third'), 'Approved')
  })

  // T-17
  tests('orch up signs what is approved, and lets in who shows it', async () => {
    const folder = tempDirectory()
    const names = '--platform=schemas/platform/kubernetes.yaml'
    const controllers = '--controllers=csrsigning'
    const up = await startProgram(orchCommand, ['up', names, controllers, `--data-dir=${folder}`])
    try {
      const admin = kubectl(file, join(folder, 'orchconfig'), folder)
      const { request, key } = await keyedCertificateRequest('O=devs,CN=jane')
      const clients = 'kubernetes.io/kube-apiserver-client'
      await admin.ok('create -f -', objectOf('jane', request, clients))
      await admin.ok('certificate approve jane')
      const certificate = await until('a certificate', () =>
        admin.ok('get csr jane -o jsonpath={.status.certificate}'),
      )
      const [certFile, keyFile] = [join(folder, 'jane.crt'), join(folder, 'jane.key')]
      writeFileSync(certFile, Buffer.from(certificate, 'base64'))
      writeFileSync(keyFile, key, { mode: 0o600 })
      const cluster = {
        server: up.url,
        'certificate-authority': join(folder, 'certificates', 'ca.crt'),
      }
      const context = { cluster: 'here', user: 'jane' }
      const user = { 'client-certificate': certFile, 'client-key': keyFile }
      const config = join(folder, 'jane')
      writeFileSync(
        config,
        JSON.stringify({
          clusters: [{ name: 'here', cluster }],
          contexts: [{ name: 'here', context }],
          users: [{ name: 'jane', user }],
          'current-context': 'here',
        }),
      )
      const jane = kubectl(file, config, folder)
      const whoami = await jane.ok('auth whoami')
      assert.match(whoami, /^Username +jane *$/m)
      assert.match(whoami, /^Groups +\[devs system:authenticated\] *$/m)
      assert.match((await jane.run('get pods')).stderr, 'User "jane" cannot list resource "pods"')
    } finally {
      await up.stop()
    }
  })

  tests.run()
}
