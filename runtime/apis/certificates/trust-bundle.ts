import { X509Certificate } from 'node:crypto'
import type {
  ClusterTrustBundle,
  ClusterTrustBundleSpec,
} from '../../../generated/apis/certificates/v1alpha1.ts'
import { dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import { type PemBlock, pemBlocks } from '../../kernel/values/pem.ts'
import type { Field } from '../../kernel/walker/field.ts'
import type { Strategy } from '../strategy/strategy.ts'

/** The largest bundle. What is larger is not parsed at all. */
const mostBytes = 1024 * 1024

/**
 * A bundle holds root certificates, each once; its name says which signer it belongs to, for good.
 * Errors in the order name, signerName, trustBundle; that the signer has changed comes last.
 */
export const clusterTrustBundle: Strategy<ClusterTrustBundle> = {
  check(object) {
    const spec = object.child('spec')
    const { signerName } = spec.value
    const name = object.value.metadata?.name ?? ''
    object.invalidAll('metadata.name', nameProblems(name, signerName), name)
    spec.visit('signerName')
    checkBundle(spec)
    if (spec.old === undefined || spec.old.signerName === signerName) return
    spec.invalid('signerName', 'field is immutable', signerName ?? '')
  },
}

/**
 * A bundle of a signer is named after it, `example.com:signer:rest` for `example.com/signer`, so
 * that bundles of two signers never have the same name. Without a signer the colon is not allowed
 * at all.
 */
function nameProblems(name: string, signer: string | undefined): readonly string[] {
  if (signer === undefined) {
    return name.includes(':')
      ? ['ClusterTrustBundle without signer name must not have ":" in its name']
      : dnsSubdomainProblems(name)
  }
  const prefix = `${signer.replaceAll('/', ':')}:`
  return name.startsWith(prefix)
    ? dnsSubdomainProblems(name.slice(prefix.length))
    : [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`]
}

/** The errors show a placeholder: a bundle is too long to be repeated. */
function checkBundle(spec: Field<ClusterTrustBundleSpec>): void {
  const { trustBundle = '' } = spec.value
  for (const why of bundleProblems(trustBundle)) {
    spec.invalid('trustBundle', why, '<value omitted>')
  }
}

/**
 * Problems of size, and of a text without any PEM block, stand alone. Otherwise every entry is
 * judged by itself, in its order. Two entries are the same if their DER bytes are, however the text
 * is wrapped.
 */
function bundleProblems(bundle: string): readonly string[] {
  if (bundle.length > mostBytes) {
    return [`the size is ${bundle.length}, which exceeds the limit of ${mostBytes}`]
  }
  const blocks = pemBlocks(bundle)
  if (blocks.length === 0) return ['at least one trust anchor must be provided']
  const seen = new Set<string>()
  return blocks.flatMap((block, at) => {
    const text = block.der.toString('base64')
    const repeated = seen.has(text) ? [`duplicate trust anchor (indices [0 ${at}])`] : []
    seen.add(text)
    const problem = blockProblem(block)
    return [...(problem === undefined ? [] : [`entry ${at} ${problem}`]), ...repeated]
  })
}

/**
 * The first problem of an entry: its type, PEM headers, which carry no meaning here, the
 * certificate itself, and at last whether it is one of an authority. Dates are not judged: an
 * expired root is no error.
 */
function blockProblem({ type, headed, text }: PemBlock): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`
  if (headed) return 'has PEM block headers'
  try {
    return new X509Certificate(text).ca ? undefined : 'does not have the CA bit set'
  } catch {
    return 'does not parse as X.509'
  }
}
