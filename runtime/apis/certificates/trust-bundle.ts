/** The rules of ClusterTrustBundle. */
import { X509Certificate } from 'node:crypto'
import { dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { invalid, invalidAll } from '../types/field-errors.ts'
import { type PemBlock, pemBlocks } from './pem.ts'
import { signerProblems } from './signers.ts'

/** What the rules and cells of ClusterTrustBundle look at. */
export interface TrustBundle extends ApiObject {
  readonly spec?: { readonly signerName?: string; readonly trustBundle?: string }
}

const mostBytes = 1024 * 1024

/** A bundle holds root certificates, each once; its name says which signer it belongs to, for good. */
export const clusterTrustBundle: Strategy = {
  validate(object, old) {
    const { metadata, spec = {} } = object as TrustBundle
    const { signerName, trustBundle = '' } = spec
    const before = (old as TrustBundle | undefined)?.spec ?? spec
    return [
      ...checkName(metadata.name ?? '', signerName),
      ...(signerName === undefined ? [] : signerProblems('spec.signerName', signerName)),
      ...checkBundle(trustBundle),
      ...(before.signerName === signerName
        ? []
        : [invalid('spec.signerName', signerName ?? '', 'field is immutable')]),
    ]
  },
}

function checkName(name: string, signerName: string | undefined): readonly FieldError[] {
  const path = 'metadata.name'
  const prefix = signerName === undefined ? '' : `${signerName.replaceAll('/', ':')}:`
  if (signerName !== undefined && !name.startsWith(prefix)) {
    const why = `ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`
    return [invalid(path, name, why)]
  }
  if (signerName === undefined && name.includes(':')) {
    return [
      invalid(path, name, 'ClusterTrustBundle without signer name must not have ":" in its name'),
    ]
  }
  return invalidAll(path, name, dnsSubdomainProblems(name.slice(prefix.length)))
}

const path = 'spec.trustBundle'
const shown = '<value omitted>'

function checkBundle(bundle: string): readonly FieldError[] {
  if (bundle.length > mostBytes) {
    return [
      invalid(path, shown, `the size is ${bundle.length}, which exceeds the limit of ${mostBytes}`),
    ]
  }
  const blocks = pemBlocks(bundle)
  if (blocks.length === 0)
    return [invalid(path, shown, 'at least one trust anchor must be provided')]
  const seen = new Set<string>()
  return blocks.flatMap((block, at) => {
    const text = block.der.toString('base64')
    const again = seen.has(text)
    seen.add(text)
    return [
      ...checkBlock(block, at),
      ...(again ? [invalid(path, shown, `duplicate trust anchor (indices [0 ${at}])`)] : []),
    ]
  })
}

function checkBlock({ type, headed, text }: PemBlock, at: number): readonly FieldError[] {
  if (type !== 'CERTIFICATE') {
    return [invalid(path, shown, `entry ${at} has bad block type: ${type}`)]
  }
  if (headed) return [invalid(path, shown, `entry ${at} has PEM block headers`)]
  try {
    const wrong = new X509Certificate(text).ca ? [] : [`entry ${at} does not have the CA bit set`]
    return wrong.map((why) => invalid(path, shown, why))
  } catch {
    return [invalid(path, shown, `entry ${at} does not parse as X.509`)]
  }
}
