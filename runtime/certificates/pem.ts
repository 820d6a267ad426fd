import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { CertificatePair } from './issue.ts'

/** What is read, and everything that is wrong with it; a text with problems is not to be used. */
export interface ReadCertificates {
  readonly certificates: readonly X509Certificate[]
  readonly problems: readonly string[]
}

const begin = '-----BEGIN CERTIFICATE-----'
const end = '-----END CERTIFICATE-----'

/** The most certificates of one text: every one of them may have to be tried for a client. */
const mostCertificates = 1000

/** The certificates of a text in PEM; what stands between them means nothing. */
export function readCertificates(text: string): ReadCertificates {
  const certificates: X509Certificate[] = []
  const problems: string[] = []
  let count = 0
  for (let at = text.indexOf(begin); at >= 0; at = text.indexOf(begin, at + 1)) {
    count++
    const until = text.indexOf(end, at)
    if (until < 0) {
      problems.push(`certificate ${count} has no end`)
      break
    }
    try {
      certificates.push(new X509Certificate(text.slice(at, until + end.length)))
    } catch {
      problems.push(`certificate ${count} cannot be read`)
    }
    if (count > mostCertificates)
      return { certificates, problems: [`more than ${mostCertificates} certificates`] }
  }
  if (count === 0) problems.push('no certificate in PEM form')
  return { certificates, problems }
}

/** What is wrong with a certificate, those of its authorities behind it, and its key; nothing secret is among it. */
export function readPair({ cert, key }: CertificatePair): ReadCertificates {
  const { certificates, problems } = readCertificates(cert)
  const [first] = certificates
  let privateKey: ReturnType<typeof createPrivateKey> | undefined
  try {
    privateKey = createPrivateKey(key)
  } catch {
    return {
      certificates,
      problems: [
        ...problems,
        'the key cannot be read: expected a private key in PEM form, without a passphrase',
      ],
    }
  }
  if (first === undefined || first.checkPrivateKey(privateKey)) return { certificates, problems }
  return { certificates, problems: [...problems, 'the key is not that of the certificate'] }
}
