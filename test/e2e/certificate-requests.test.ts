/** kubectl decides about certificate requests as four users, of whom one may: the verb, the subresource, and the signer (Q-21, I-23). */
import { webcrypto } from 'node:crypto'
import { join } from 'node:path'
import 'reflect-metadata'
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import type { RunningApiServer } from '../../runtime/apiserver/apiserver.ts'
import { compiledScheme } from '../../tools/orch/compiled-scheme.ts'
import { defaultKubectl, type Kubectl } from '../support/kubectl.ts'
import { startTokenServer } from '../support/token-server.ts'

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

/** A request for a certificate with a key of its own, in PEM. */
async function requestOf(name: string): Promise<string> {
  const signing = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(signing, true, ['sign', 'verify'])
  const made = await Pkcs10CertificateRequestGenerator.create(
    { name: `CN=${name}`, keys: keys as never, signingAlgorithm: signing },
    webcrypto as never,
  )
  return made.toString('pem')
}

function objectOf(name: string, pem: string): string {
  return JSON.stringify({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: {
      request: Buffer.from(pem).toString('base64'),
      signerName: signer,
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
      await ann.ok('create -f -', objectOf(name, await requestOf(name)))
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
    await ann.ok('create -f -', objectOf('third', await requestOf('third')))
    await root.ok('certificate approve third')
    assert.match(await root.ok('get csr third'), 'Approved')
  })

  tests.run()
}
