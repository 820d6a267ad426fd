import { createPrivateKey, KeyObject, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import type { Extension, JsonNameParams } from '@peculiar/x509'
import { x509Library } from './library.ts'
import { serialNumber } from './serial-number.ts'

/** A certificate and its key, both in PEM. */
export interface CertificatePair {
  readonly cert: string
  readonly key: string
}

/** What a certificate says. */
export interface CertificateFacts {
  /** Whom it is about; of a client, the name of the user. */
  readonly commonName: string
  /** Of a client, the groups of the user. */
  readonly organizations?: readonly string[]
  /** What its holder may use it for. */
  readonly usages: readonly ('server' | 'client')[]
  /** Host names and IP addresses of a server. */
  readonly hosts?: readonly string[]
  /** Milliseconds since the epoch. */
  readonly validFrom: number
  readonly validUntil: number
}

/** The facts of an authority, which have no use but signing. */
export type AuthorityFacts = Pick<CertificateFacts, 'commonName' | 'validFrom' | 'validUntil'> & {
  /** How many authorities may stand between it and a certificate. Default: any number. */
  readonly pathLength?: number
}

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' }
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' }

/** An authority with a key of its own, signed by another one or by itself. */
export async function createAuthority(
  facts: AuthorityFacts,
  issuer?: CertificatePair,
): Promise<CertificatePair> {
  const { BasicConstraintsExtension, KeyUsagesExtension, KeyUsageFlags } = await x509Library()
  const usages = KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature
  return sign({ ...facts, usages: [] }, issuer, [
    new BasicConstraintsExtension(true, facts.pathLength, true),
    new KeyUsagesExtension(usages, true),
  ])
}

/** A certificate with a key of its own; without an issuer, it is signed by itself. */
export async function issueCertificate(
  facts: CertificateFacts,
  issuer?: CertificatePair,
): Promise<CertificatePair> {
  const library = await x509Library()
  const { BasicConstraintsExtension, KeyUsagesExtension, KeyUsageFlags } = library
  const { ExtendedKeyUsage, ExtendedKeyUsageExtension, SubjectAlternativeNameExtension } = library
  const identifiers = { server: ExtendedKeyUsage.serverAuth, client: ExtendedKeyUsage.clientAuth }
  const names = (facts.hosts ?? []).map((host) => ({
    type: isIP(host) === 0 ? ('dns' as const) : ('ip' as const),
    value: host,
  }))
  return sign(facts, issuer, [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension(facts.usages.map((usage) => identifiers[usage])),
    ...(names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)]),
  ])
}

async function sign(
  facts: CertificateFacts,
  issuer: CertificatePair | undefined,
  extensions: readonly Extension[],
): Promise<CertificatePair> {
  const library = await x509Library()
  const keys = await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify'])
  const subject = new library.Name(nameOf(facts))
  const parent = issuer && new library.X509Certificate(issuer.cert)
  const certificate = await library.X509CertificateGenerator.create({
    subject,
    issuer: parent?.subjectName ?? subject,
    serialNumber: serialNumber(),
    notBefore: new Date(facts.validFrom),
    notAfter: new Date(facts.validUntil),
    publicKey: keys.publicKey,
    signingKey: issuer === undefined ? keys.privateKey : await signingKey(issuer.key),
    signingAlgorithm,
    extensions: [
      ...extensions,
      await library.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await library.AuthorityKeyIdentifierExtension.create(parent?.publicKey ?? keys.publicKey),
    ],
  })
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' })
  return { cert: `${certificate.toString('pem')}\n`, key: key.toString() }
}

/** Each organization is an entry of its own, in their order, before the common name; texts are taken as they are. */
function nameOf({ commonName, organizations = [] }: CertificateFacts): JsonNameParams {
  const [groups, name] = [
    organizations.map((one) => ({ utf8String: one })),
    { utf8String: commonName },
  ]
  return [...groups.map((one) => ({ O: [one] })), { CN: [name] }]
}

function signingKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' })
  return webcrypto.subtle.importKey('pkcs8', der, keyAlgorithm, false, ['sign'])
}
