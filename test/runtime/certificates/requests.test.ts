import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  createAuthority,
  readRequest,
  signRequest,
} from '../../../runtime/certificates/certificates.ts'
import { authorityWith, certificateRequestOf } from '../../support/certificate-requests.ts'
import { newAuthority, validity } from '../../support/tls.ts'

const test = suite('runtime/certificates: requests')

const names = [
  { type: 'dns', value: 'a.example.com' },
  { type: 'ip', value: '10.0.0.1' },
  { type: 'email', value: 'a@example.com' },
  { type: 'url', value: 'urn:a' },
] as const

test('a request is read with its subject and all of its names', async () => {
  const pem = await certificateRequestOf('O=one,O=two,CN=ann', names)
  assert.equal(await readRequest(pem), {
    commonName: 'ann',
    organizations: ['one', 'two'],
    hosts: ['a.example.com'],
    addresses: ['10.0.0.1'],
    mailAddresses: ['a@example.com'],
    uris: ['urn:a'],
  })
  assert.is(await readRequest('nothing'), 'PEM block type must be CERTIFICATE REQUEST')
  const broken = pem.replace(/\n[A-Za-z0-9+/]{8}/, '\nAAAAAAAA')
  assert.is(await readRequest(broken), 'the certificate request cannot be read')
})

test('a certificate has the subject, the names and the usages, and ends with its authority', async () => {
  const pem = await certificateRequestOf('O=one,CN=ann', names)
  const authority = await newAuthority()
  const now = Date.now()
  const facts = {
    usages: ['digital signature', 'key encipherment', 'server auth', 'client auth'],
    validFrom: now - 1000,
    validUntil: validity.validUntil + 86_400_000,
  }
  const signed = new X509Certificate(await signRequest(pem, facts, authority, now))
  const issuer = new X509Certificate(authority.cert)
  assert.ok(signed.checkIssued(issuer) && signed.verify(issuer.publicKey))
  assert.is(signed.subject, 'O=one\nCN=ann')
  assert.is(signed.ca, false)
  assert.is(signed.validTo, issuer.validTo)
  assert.is(
    signed.subjectAltName,
    'DNS:a.example.com, IP Address:10.0.0.1, email:a@example.com, URI:urn:a',
  )
  assert.equal(signed.keyUsage, ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'])
  const late = signRequest(pem, facts, authority, validity.validUntil + 1)
  assert.match(await late.catch(String), 'the authority has expired')
  const unknown = signRequest(pem, { ...facts, usages: ['all'] }, authority, now)
  assert.match(await unknown.catch(String), 'unknown usages: all')
})

test('authorities with keys of RSA and of longer curves sign, in any form of PEM', async () => {
  const pem = await certificateRequestOf('CN=ann')
  const facts = { usages: ['client auth'], validFrom: 0, validUntil: Date.now() }
  const rsa = { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, hash: 'SHA-256' }
  const exponent = new Uint8Array([1, 0, 1])
  const authorities = [
    [await authorityWith({ ...rsa, publicExponent: exponent }, 'SHA-256'), 'pkcs1'],
    [await authorityWith({ name: 'ECDSA', namedCurve: 'P-384' }, 'SHA-384'), 'sec1'],
    [await authorityWith({ name: 'ECDSA', namedCurve: 'P-521' }, 'SHA-512'), 'pkcs8'],
  ] as const
  for (const [{ cert, key }, type] of authorities) {
    const pair = { cert, key: String(key.export({ type, format: 'pem' })) }
    const signed = new X509Certificate(await signRequest(pem, facts, pair, Date.now()))
    assert.ok(signed.verify(new X509Certificate(cert).publicKey))
  }
  const edwards = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
  const { cert } = await createAuthority({ commonName: 'root', ...validity })
  const refused = signRequest(pem, facts, { cert, key: String(edwards) }, Date.now())
  assert.match(await refused.catch(String), 'neither RSA nor of a curve of NIST')
})

test.run()
