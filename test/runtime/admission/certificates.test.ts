/** Who may decide about certificates: the server asks whether he may, by the signer's name and by its domain. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { change, make, openAdmitted } from '../../support/admission.ts'
import { certificateRequest, rootCertificate } from '../../support/certificates.ts'
import type { Opened } from '../../support/registry.ts'
import { rejects } from '../../support/rejects.ts'

interface Deciding extends Opened {
  /** What was asked for, as `verb name`. */
  readonly asked: string[]
  readonly allowed: Set<string>
}

const test = suite<Deciding>('runtime/admission: certificates')

test.before(async (context) => {
  const asked: string[] = []
  const allowed = new Set<string>()
  const opened = await openAdmitted({
    authorize: async (_, { verb, group, resource, name }) => {
      assert.is(`${group}/${resource}`, 'certificates.orch.io/signers')
      asked.push(`${verb} ${name}`)
      return allowed.has(`${verb} ${name}`)
    },
  })
  Object.assign(context, opened, { asked, allowed })
})
test.after(({ close }) => close())

const path = 'apis/certificates.orch.io/v1/certificatesigningrequests'
const signerName = 'example.com/workers'
const named = 'certificatesigningrequests.certificates.orch.io'

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
  const error = await rejects(approve(), 'Forbidden')
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
  const error = await rejects(issue({ certificate }), 'Forbidden')
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

test.run()
