/** Certificates that are made: what Node reads in them, and that they verify. */
import { X509Certificate } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  createAuthority,
  issueCertificate,
  readCertificates,
  readPair,
  subjectOf,
} from '../../../runtime/certificates/certificates.ts'

const test = suite('runtime/certificates/issue')

const validity = { validFrom: Date.parse('2026-01-01'), validUntil: Date.parse('2027-01-01') }

test('an authority signs itself, and what it issues is verified by its key', async () => {
  const pair = await createAuthority({ commonName: 'the authority', ...validity })
  const authority = new X509Certificate(pair.cert)
  assert.ok(authority.ca)
  assert.ok(authority.verify(authority.publicKey))
  const server = await issueCertificate(
    {
      commonName: 'web',
      usages: ['server'],
      hosts: ['web.example', '127.0.0.1', '::1'],
      ...validity,
    },
    pair,
  )
  const certificate = new X509Certificate(server.cert)
  assert.ok(certificate.checkIssued(authority))
  assert.ok(certificate.verify(authority.publicKey))
  assert.is(certificate.checkHost('web.example'), 'web.example')
  assert.is(certificate.checkIP('127.0.0.1'), '127.0.0.1')
  assert.is(certificate.checkIP('::1'), '::1')
  assert.not(certificate.ca)
  assert.equal(certificate.keyUsage, ['1.3.6.1.5.5.7.3.1'])
  assert.is(Date.parse(certificate.validFrom), validity.validFrom)
  assert.is(Date.parse(certificate.validTo), validity.validUntil)
  assert.equal(readPair(server).problems, [])
})

test('names of users and groups are what they were, whatever their characters', async () => {
  const commonName = 'system:node:a, CN=admin\n"b"\\c + ü'
  const organizations = ['system:nodes', 'b, O=system:masters', 'a']
  const { cert } = await issueCertificate({
    commonName,
    organizations,
    usages: ['client'],
    ...validity,
  })
  assert.equal(subjectOf(new X509Certificate(cert)), { commonName, organizations })
})

test('what cannot be used of a text is said, and nothing of a key', async () => {
  const facts = { commonName: 'a', usages: ['server'] as const, ...validity }
  const [one, other] = [await issueCertificate(facts), await issueCertificate(facts)]
  assert.equal(readCertificates('').problems, ['no certificate in PEM form'])
  const broken = one.cert.replace(/\n[A-Za-z0-9+/]{10}/, '\n__________')
  assert.equal(readCertificates(other.cert + broken).problems, ['certificate 2 cannot be read'])
  assert.equal(readCertificates(one.cert.slice(0, 200)).problems, ['certificate 1 has no end'])
  assert.equal(readPair({ cert: one.cert, key: other.key }).problems, [
    'the key is not that of the certificate',
  ])
  const { problems } = readPair({ cert: '', key: one.key.slice(0, 100) })
  assert.is(problems.length, 2)
  assert.not.match(problems.join(), one.key.slice(40, 60))
})

test.run()
