/** Whether a certificate and a private key belong together. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { pemBlocks } from '../../../kernel/values/pem.ts'

/** Why two texts in PEM are not a certificate and its key, in the words of public clients; undefined if they are. */
export function keyPairProblem(certificate: string, key: string): string | undefined {
  const blocks = pemBlocks(certificate)
  const [leaf] = blocks.filter(({ type }) => type === 'CERTIFICATE')
  if (leaf === undefined) return `tls: failed to find ${withoutCertificate(blocks)}`
  const skipped = pemBlocks(key)
  const secret = skipped.find(({ type }) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY'))
  if (secret === undefined) return `tls: ${withoutKey(skipped)}`
  const parsed = parsedCertificate(leaf.der)
  if (parsed === undefined) return 'x509: malformed certificate'
  const read = parsedKey(secret.text)
  if (read === undefined) return 'tls: failed to parse private key'
  const { publicKey } = parsed
  if (publicKey.asymmetricKeyType !== read.asymmetricKeyType) {
    return 'tls: private key type does not match public key type'
  }
  return parsed.checkPrivateKey(read) ? undefined : 'tls: private key does not match public key'
}

type Blocks = readonly { readonly type: string }[]

function withoutCertificate(blocks: Blocks): string {
  if (blocks.length === 0) return 'any PEM data in certificate input'
  if (blocks.length === 1 && blocks[0]?.type.endsWith('PRIVATE KEY')) {
    return (
      'certificate PEM data in certificate input, but did find a private key; PEM inputs may have ' +
      'been switched'
    )
  }
  return `"CERTIFICATE" PEM block in certificate input ${afterSkipping(blocks)}`
}

function withoutKey(blocks: Blocks): string {
  if (blocks.length === 0) return 'failed to find any PEM data in key input'
  if (blocks.length === 1 && blocks[0]?.type === 'CERTIFICATE') {
    return 'found a certificate rather than a key in the PEM for the private key'
  }
  const what = 'PEM block with type ending in "PRIVATE KEY" in key input'
  return `failed to find ${what} ${afterSkipping(blocks)}`
}

function afterSkipping(blocks: Blocks): string {
  const types = blocks.map(({ type }) => type).join(' ')
  return `after skipping PEM blocks of the following types: [${types}]`
}

function parsedCertificate(der: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(der)
  } catch {
    return undefined
  }
}

function parsedKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}
