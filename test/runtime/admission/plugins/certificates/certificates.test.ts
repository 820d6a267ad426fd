/** Who may decide about certificates: the server asks whether he may, by the signer's name and by its domain. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { change, make, openAdmitted } from '../../../../support/admission.ts'
import { createAuthority } from '../../../../support/authority.ts'
import { authorizerOf } from '../../../../support/authorizer.ts'
import {
  certificateRequest,
  organizationIs,
  requestOf,
  rootCertificate,
} from '../../../../support/certificates.ts'
import type { OpenRegistry } from '../../../../support/registry.ts'
import { assertRejects } from '../../../../support/rejects.ts'

interface Deciding extends OpenRegistry {
  /** What was asked for, as `verb name`. */
  readonly asked: string[]
  readonly allowed: Set<string>
}

const test = suite<Deciding>('runtime/admission: certificates')

test.before(async (context) => {
  const asked: string[] = []
  const allowed = new Set<string>()
  const opened = await openAdmitted({
    authorizer: authorizerOf((_, { verb, group, resource, name }) => {
      assert.is(`${group}/${resource}`, 'certificates.orch.io/signers')
      asked.push(`${verb} ${name}`)
      return allowed.has(`${verb} ${name}`)
    }),
  })
  Object.assign(context, opened, { asked, allowed })
})
test.after(({ close }) => close())

const path = 'apis/certificates.orch.io/v1/certificatesigningrequests'
const signerName = 'example.com/workers'
const named = 'certificatesigningrequests.certificates.orch.io'

const base64 = (text: string) => Buffer.from(text).toString('base64')
/** A request that ends after its version. */
const noSubject =
  '-----BEGIN CERTIFICATE REQUEST-----\nMAUwAwIBAA==\n-----END CERTIFICATE REQUEST-----\n'

const request = (name: string) => ({
  metadata: { name },
  spec: { request: certificateRequest, signerName, usages: ['client auth'] },
})

const approved = {
  status: {
    conditions: [{ type: 'Approved', status: 'True', reason: 'Because', message: 'it is good' }],
  },
}

test('approving needs the right to approve for the signer or its domain (Q-21)', async (opened) => {
  await make(opened, path, request('ann'))
  const approve = () => change(opened, path, 'ann', approved, { subresource: 'approval' })
  const error = await assertRejects(approve(), 'Forbidden')
  assert.is(
    error.message,
    `${named} "ann" is forbidden: user not permitted to approve requests with signerName "example.com/workers"`,
  )
  assert.equal(opened.asked.splice(0), ['approve example.com/workers', 'approve example.com/*'])
  opened.allowed.add('approve example.com/*')
  await approve()
})

test('issuing needs the right to sign for the signer (Q-21)', async (opened) => {
  await make(opened, path, request('bob'))
  const certificate = Buffer.from(rootCertificate).toString('base64')
  const issue = (status: object) =>
    change(opened, path, 'bob', { status }, { subresource: 'status' })
  const error = await assertRejects(issue({ certificate }), 'Forbidden')
  assert.is(
    error.message,
    `${named} "bob" is forbidden: user not permitted to sign requests with signerName "example.com/workers"`,
  )
  opened.allowed.add('sign example.com/workers')
  await issue({ certificate })
})

test('a status that says the same needs no right (Q-21)', async (opened) => {
  await make(opened, path, request('cid'))
  opened.asked.length = 0
  await change(opened, path, 'cid', { status: {} }, { subresource: 'status' })
  assert.equal(opened.asked, [])
})

test('nobody asks for a certificate that makes him a master (Q-21)', async (opened) => {
  const asking = (name: string, text: string, signerName = 'orch.io/orch-apiserver-client') => ({
    metadata: { name },
    spec: { request: text, signerName, usages: ['client auth'] },
  })
  const masters = base64(requestOf(organizationIs('system:masters')))
  await make(opened, path, asking('good', certificateRequest))
  const error = await assertRejects(make(opened, path, asking('master', masters)), 'Forbidden')
  assert.is(
    error.message,
    'certificatesigningrequests.certificates.orch.io "master" is forbidden: use of orch.io/orch-apiserver-client signer with system:masters group is not allowed',
  )
  await make(opened, path, asking('other', masters, 'example.com/signer'))
  const broken = await assertRejects(
    make(opened, path, asking('broken', base64(noSubject))),
    'InternalError',
  )
  assert.is(broken.message, 'Internal error occurred: failed to parse CSR')
})

const bundles = 'apis/certificates.orch.io/v1alpha1/clustertrustbundles'

test('putting out what a signer is trusted by needs the right to attest for it (Q-27)', async (opened) => {
  const bundle = (name: string, fields: object) => ({
    metadata: { name },
    spec: { trustBundle: rootCertificate, ...fields },
  })
  await make(opened, bundles, bundle('anybody', {}))
  const ofSigner = bundle('example.com:workers:v1', { signerName })
  opened.asked.length = 0
  const error = await assertRejects(make(opened, bundles, ofSigner), 'Forbidden')
  assert.is(
    error.message,
    'clustertrustbundles.certificates.orch.io "example.com:workers:v1" is forbidden: user not permitted to attest for signerName "example.com/workers"',
  )
  assert.equal(opened.asked.splice(0), ['attest example.com/workers', 'attest example.com/*'])
  opened.allowed.add('attest example.com/workers')
  await make(opened, bundles, ofSigner)
  opened.allowed.delete('attest example.com/workers')
  opened.asked.length = 0
  const label = { metadata: { labels: { a: 'b' } } }
  await change(opened, bundles, 'example.com:workers:v1', label)
  assert.equal(opened.asked, [])
  const trustBundle = createAuthority().root
  await assertRejects(
    change(opened, bundles, 'example.com:workers:v1', { spec: { trustBundle } }),
    'Forbidden',
  )
})

test.run()
