import { KeyObject, webcrypto } from 'node:crypto'
import 'reflect-metadata'
import {
  type JsonGeneralNames,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'

/** A request for a certificate with a key of its own, in PEM, of a subject such as `O=system:nodes,CN=system:node:a`. */
export async function certificateRequestOf(
  name: string,
  names: readonly JsonGeneralNames[number][] = [],
): Promise<string> {
  return (await keyedCertificateRequest(name, names)).request
}

/** Such a request and its key, both in PEM. */
export async function keyedCertificateRequest(
  name: string,
  names: readonly JsonGeneralNames[number][] = [],
): Promise<{ readonly request: string; readonly key: string }> {
  const signing = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(signing, true, ['sign', 'verify'])
  const extensions = names.length === 0 ? [] : [new SubjectAlternativeNameExtension([...names])]
  const made = await Pkcs10CertificateRequestGenerator.create(
    { name, keys: keys as never, signingAlgorithm: signing, extensions },
    webcrypto as never,
  )
  const key = KeyObject.from((keys as webcrypto.CryptoKeyPair).privateKey)
  return {
    request: made.toString('pem'),
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** An authority whose key is of some algorithm, and that key. */
export async function authorityWith(
  algorithm: webcrypto.EcKeyGenParams | webcrypto.RsaHashedKeyGenParams,
  hash: string,
): Promise<{ readonly cert: string; readonly key: KeyObject }> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const pair = keys as webcrypto.CryptoKeyPair
  const made = await X509CertificateGenerator.createSelfSigned(
    {
      name: 'CN=root',
      keys: pair as never,
      signingAlgorithm: { ...algorithm, hash } as never,
      notAfter: new Date(Date.now() + 86_400_000),
    },
    webcrypto as never,
  )
  return { cert: made.toString('pem'), key: KeyObject.from(pair.privateKey) }
}
