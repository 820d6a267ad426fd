import { createPrivateKey, webcrypto } from 'node:crypto'
import type { GeneralNameType, Pkcs10CertificateRequest } from '@peculiar/x509'
import type { CertificatePair } from './issue.ts'
import { x509Library } from './library.ts'
import { readCertificates } from './pem.ts'
import { serialNumber } from './serial-number.ts'
import type { Subject } from './subject.ts'

/** What a certificate is requested for. Nothing of it is verified. */
export interface CertificateRequest extends Subject {
  readonly hosts: readonly string[]
  readonly addresses: readonly string[]
  readonly mailAddresses: readonly string[]
  readonly uris: readonly string[]
}

/** What a certificate that is signed says beside its request. */
export interface SigningFacts {
  /** Uses of the key, as requests name them: `digital signature`, `client auth`. */
  readonly usages: readonly string[]
  readonly validFrom: number
  /** Cut to the end of the authority. */
  readonly validUntil: number
}

/** Reads the first request of a text in PEM; a text for what is wrong with it. */
export async function readRequest(pem: string): Promise<CertificateRequest | string> {
  const parsed = await parsedRequest(pem)
  if (typeof parsed === 'string') return parsed
  const { subjectName } = parsed
  return {
    commonName: subjectName.getField('CN').at(-1) ?? '',
    organizations: subjectName.getField('O'),
    hosts: await namesOf(parsed, 'dns'),
    addresses: await namesOf(parsed, 'ip'),
    mailAddresses: await namesOf(parsed, 'email'),
    uris: await namesOf(parsed, 'url'),
  }
}

/**
 * Signs what a request asks for: its key, its subject and the names of hosts, addresses, mail and URIs; other extensions of it are left out.
 *
 * @throws an Error if the request cannot be read, is not signed by its key, or the authority cannot sign.
 */
export async function signRequest(
  pem: string,
  { usages, validFrom, validUntil }: SigningFacts,
  authority: CertificatePair,
  now: number,
): Promise<string> {
  const parsed = await parsedRequest(pem)
  if (typeof parsed === 'string') throw new Error(parsed)
  if (!(await parsed.verify())) throw new Error('the request is not signed by its key')
  const library = await x509Library()
  const parent = new library.X509Certificate(authorityCertificate(authority.cert))
  const ends = parent.notAfter.getTime()
  if (validFrom >= ends || now >= ends) {
    throw new Error(`the authority has expired: ${parent.notAfter.toISOString()}`)
  }
  const { signingKey, signingAlgorithm } = await signer(authority.key)
  const certificate = await library.X509CertificateGenerator.create({
    ...{ signingKey, signingAlgorithm },
    subject: parsed.subjectName,
    issuer: parent.subjectName,
    publicKey: parsed.publicKey,
    serialNumber: serialNumber(),
    notBefore: new Date(validFrom),
    notAfter: new Date(Math.min(validUntil, ends)),
    extensions: [
      ...(await usageExtensions(usages)),
      new library.BasicConstraintsExtension(false, undefined, true),
      await library.AuthorityKeyIdentifierExtension.create(parent.publicKey),
      ...(await nameExtensions(parsed)),
    ],
  })
  return `${certificate.toString('pem')}\n`
}

async function parsedRequest(pem: string): Promise<Pkcs10CertificateRequest | string> {
  const [, body] =
    /-----BEGIN CERTIFICATE REQUEST-----([^-]*)-----END CERTIFICATE REQUEST-----/.exec(pem) ?? []
  if (body === undefined) return 'PEM block type must be CERTIFICATE REQUEST'
  const { Pkcs10CertificateRequest } = await x509Library()
  try {
    return new Pkcs10CertificateRequest(Buffer.from(body, 'base64'))
  } catch {
    return 'the certificate request cannot be read'
  }
}

/** Further names of a subject. */
const alternativeNames = '2.5.29.17'

const forwarded: readonly GeneralNameType[] = ['dns', 'ip', 'email', 'url']

async function namesOf(
  request: Pkcs10CertificateRequest,
  type: GeneralNameType,
): Promise<readonly string[]> {
  const { SubjectAlternativeNameExtension } = await x509Library()
  const found = request.getExtension(alternativeNames)
  const names = found instanceof SubjectAlternativeNameExtension ? found.names.items : []
  return names.filter((one) => one.type === type).map(({ value }) => value)
}

async function nameExtensions(request: Pkcs10CertificateRequest) {
  const { SubjectAlternativeNameExtension } = await x509Library()
  const lists = await Promise.all(
    forwarded.map(async (type) => {
      const values = await namesOf(request, type)
      return values.map((value) => ({ type, value }))
    }),
  )
  const names = lists.flat()
  const isCritical = request.subject === ''
  return names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names, isCritical)]
}

async function usageExtensions(usages: readonly string[]) {
  const { ExtendedKeyUsage, ExtendedKeyUsageExtension, KeyUsageFlags, KeyUsagesExtension } =
    await x509Library()
  const flags: Readonly<Record<string, number>> = {
    signing: KeyUsageFlags.digitalSignature,
    'digital signature': KeyUsageFlags.digitalSignature,
    'content commitment': KeyUsageFlags.nonRepudiation,
    'key encipherment': KeyUsageFlags.keyEncipherment,
    'key agreement': KeyUsageFlags.keyAgreement,
    'data encipherment': KeyUsageFlags.dataEncipherment,
    'cert sign': KeyUsageFlags.keyCertSign,
    'crl sign': KeyUsageFlags.cRLSign,
    'encipher only': KeyUsageFlags.encipherOnly,
    'decipher only': KeyUsageFlags.decipherOnly,
  }
  const purposes: ReadonlyMap<string, string> = new Map([
    ['any', '2.5.29.37.0'],
    ['server auth', ExtendedKeyUsage.serverAuth],
    ['client auth', ExtendedKeyUsage.clientAuth],
    ['code signing', ExtendedKeyUsage.codeSigning],
    ['email protection', ExtendedKeyUsage.emailProtection],
    ['s/mime', ExtendedKeyUsage.emailProtection],
    ['ipsec end system', '1.3.6.1.5.5.7.3.5'],
    ['ipsec tunnel', '1.3.6.1.5.5.7.3.6'],
    ['ipsec user', '1.3.6.1.5.5.7.3.7'],
    ['timestamping', ExtendedKeyUsage.timeStamping],
    ['ocsp signing', ExtendedKeyUsage.ocspSigning],
    ['microsoft sgc', '1.3.6.1.4.1.311.10.3.3'],
    ['netscape sgc', '2.16.840.1.113730.4.1'],
  ])
  const unknown = usages.filter((one) => !Object.hasOwn(flags, one) && !purposes.has(one))
  if (unknown.length > 0) throw new Error(`unknown usages: ${unknown.join(', ')}`)
  const bits = usages.reduce((sum, one) => sum | (flags[one] ?? 0), 0)
  const named = usages.flatMap((one) => purposes.get(one) ?? [])
  const extended = [...purposes.values()].filter((one) => named.includes(one))
  return [
    ...(bits === 0 ? [] : [new KeyUsagesExtension(bits, true)]),
    ...(named.length === 0 ? [] : [new ExtendedKeyUsageExtension([...new Set(extended)])]),
  ]
}

/** The first certificate of an authority, in PEM. */
function authorityCertificate(pem: string): string {
  const [first] = readCertificates(pem).certificates
  if (first === undefined) throw new Error('the authority has no certificate')
  return first.toString()
}

const curves: Readonly<Record<string, readonly [curve: string, hash: string]>> = {
  prime256v1: ['P-256', 'SHA-256'],
  secp384r1: ['P-384', 'SHA-384'],
  secp521r1: ['P-521', 'SHA-512'],
}

/** What an authority signs with: RSA, or ECDSA with a hash as long as its curve. */
async function signer(pem: string) {
  const key = createPrivateKey(pem)
  const { asymmetricKeyType: type, asymmetricKeyDetails } = key
  const [namedCurve, hash] = curves[asymmetricKeyDetails?.namedCurve ?? ''] ?? []
  if (type !== 'rsa' && namedCurve === undefined) {
    throw new Error('the key of the authority is neither RSA nor of a curve of NIST')
  }
  const algorithm =
    type === 'rsa'
      ? { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
      : { name: 'ECDSA', namedCurve: namedCurve as string, hash: hash as string }
  const der = key.export({ type: 'pkcs8', format: 'der' })
  const signingKey = await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
  return { signingKey, signingAlgorithm: algorithm }
}
