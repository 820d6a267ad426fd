import { KeyObject, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import { x509Library } from './library.ts'

/** Whom a certificate is requested for. */
export interface RequestedSubject {
  readonly commonName: string
  readonly organizations: readonly string[]
  /** Names and addresses. */
  readonly hosts: readonly string[]
}

/** A request that is signed by a fresh key, and the key; both in PEM. */
export async function makeRequest({
  commonName,
  organizations,
  hosts,
}: RequestedSubject): Promise<{ readonly request: string; readonly key: string }> {
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = await x509Library()
  const signing = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(signing, true, ['sign', 'verify'])
  const names = hosts.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const)
  const name = [...organizations.map((value) => ({ O: [value] })), { CN: [commonName] }]
  const made = await Pkcs10CertificateRequestGenerator.create(
    {
      ...{ name, keys: keys as never, signingAlgorithm: signing },
      extensions: names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)],
    },
    webcrypto as never,
  )
  const { privateKey } = keys as webcrypto.CryptoKeyPair
  const key = KeyObject.from(privateKey).export({ type: 'pkcs8', format: 'pem' })
  return { request: `${made.toString('pem')}\n`, key: key.toString() }
}
