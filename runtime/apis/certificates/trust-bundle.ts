import { X509Certificate } from 'node:crypto'
import type {
  ClusterTrustBundle,
  ClusterTrustBundleSpec,
} from '../../../generated/apis/certificates/v1alpha1.ts'
import { dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import { type PemBlock, pemBlocks } from '../../kernel/values/pem.ts'
import type { Field } from '../../kernel/walker/field.ts'
import type { Strategy } from '../strategy/strategy.ts'

const mostBytes = 1024 * 1024

/** A bundle holds root certificates, each once; its name says which signer it belongs to, for good. */
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

function checkBundle(spec: Field<ClusterTrustBundleSpec>): void {
  const { trustBundle = '' } = spec.value
  for (const why of bundleProblems(trustBundle)) {
    spec.invalid('trustBundle', why, '<value omitted>')
  }
}

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

function blockProblem({ type, headed, text }: PemBlock): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`
  if (headed) return 'has PEM block headers'
  try {
    return new X509Certificate(text).ca ? undefined : 'does not have the CA bit set'
  } catch {
    return 'does not parse as X.509'
  }
}
