import type { X509Certificate } from 'node:crypto'

/** What only the extensions of a certificate say, and Node does not tell. */
export interface ExtensionFacts {
  /** How many authorities may stand below it; undefined where that is not said. */
  readonly pathLength: number | undefined
  /** An extension that has to be honoured and is not known here; the certificate may not be used then. */
  readonly unknown: string | undefined
  /** The algorithm of its signature, if signatures by it can be forged. */
  readonly weak: string | undefined
}

/** The extensions that may be critical: uses of the key, further names, whether it signs, policies. */
const honoured: ReadonlySet<string> = new Set([
  '2.5.29.15',
  '2.5.29.17',
  '2.5.29.19',
  '2.5.29.32',
  '2.5.29.37',
])

/** Limits the names that an authority may sign: an authority that has it is not trusted with any. */
const nameConstraints = '2.5.29.30'

const known = new WeakMap<X509Certificate, ExtensionFacts>()

/** Reads the extensions of a certificate, once. @throws an error of the library for a certificate that it cannot read. */
export function extensionFacts(
  certificate: X509Certificate,
  library: typeof import('@peculiar/x509'),
): ExtensionFacts {
  const before = known.get(certificate)
  if (before !== undefined) return before
  const read = new library.X509Certificate(certificate.raw)
  const { hash, name } = read.signatureAlgorithm as { name: string; hash?: { name: string } }
  const isUnknown = ({ critical, type }: { readonly critical: boolean; readonly type: string }) =>
    type === nameConstraints || (critical && !honoured.has(type))
  const facts = {
    pathLength: read.getExtension(library.BasicConstraintsExtension)?.pathLength,
    unknown: read.extensions.find(isUnknown)?.type,
    weak: /^(SHA-?1|MD\d)$/i.test(hash?.name ?? name ?? '') ? hash?.name : undefined,
  }
  known.set(certificate, facts)
  return facts
}
