import { X509Certificate } from 'node:crypto'
import { type Awaitable, chainAwaitable } from '../kernel/async/awaitable.ts'
import { type ExtensionFacts, extensionFacts } from './extensions.ts'
import { x509Library } from './library.ts'

/** A certificate that an authority vouches for, until one of the certificates on the way ends. */
export interface VerifiedCertificate {
  readonly certificate: X509Certificate
  /** Milliseconds since the epoch between which the whole way is valid. */
  readonly validFrom: number
  readonly validUntil: number
}

/** The most certificates that may come beside one's own. */
const mostSent = 10

/** The most bytes of a certificate: reading one takes time that others wait for. */
const mostBytes = 16 * 1024

/** The most signatures that are checked for one certificate. */
const mostSignatures = 100

/** Usages for clients: for them, or for anything. */
const clientUsages: ReadonlySet<string> = new Set(['1.3.6.1.5.5.7.3.2', '2.5.29.37.0'])

/**
 * Verifies that one of `roots` vouches for a certificate in DER, for the use as a client: itself, or by others that were sent
 * with it. Gives the reason, for the log, if none does. Waits only for the library.
 */
export function verifyClient(
  raw: Buffer,
  sent: readonly Buffer[],
  roots: readonly X509Certificate[],
  now: number,
): Awaitable<VerifiedCertificate | string> {
  return chainAwaitable(x509Library(), (library) => {
    if (sent.length > mostSent) return `more than ${mostSent} certificates came with it`
    if ([raw, ...sent].some(({ length }) => length > mostBytes)) {
      return `it or another is longer than ${mostBytes} bytes`
    }
    try {
      const facts = (one: X509Certificate) => extensionFacts(one, library)
      const links = [raw, ...sent].map((one) => new X509Certificate(one))
      return new PathSearch(links.slice(1), roots, now, facts).from(links[0] as X509Certificate)
    } catch {
      return 'it cannot be read'
    }
  })
}

/** Looks for a way from a certificate to a root, each signed by the next. */
class PathSearch {
  readonly #between: readonly X509Certificate[]
  readonly #roots: readonly X509Certificate[]
  readonly #now: number
  readonly #facts: (certificate: X509Certificate) => ExtensionFacts
  #signatures = 0
  #why = 'no authority that is trusted signed it'

  constructor(
    between: readonly X509Certificate[],
    roots: readonly X509Certificate[],
    now: number,
    facts: (certificate: X509Certificate) => ExtensionFacts,
  ) {
    this.#between = between
    this.#roots = roots
    this.#now = now
    this.#facts = facts
  }

  from(certificate: X509Certificate): VerifiedCertificate | string {
    const problem = this.#problemOf(certificate)
    if (problem !== undefined) return problem
    const itself = this.#roots.some(({ raw }) => raw.equals(certificate.raw))
    const path = itself ? [certificate] : this.#extend([certificate])
    if (path === undefined) return this.#why
    const times = path.map(validityOf)
    return {
      certificate,
      validFrom: Math.max(...times.map(({ from }) => from)),
      validUntil: Math.min(...times.map(({ until }) => until)),
    }
  }

  #extend(path: readonly X509Certificate[]): readonly X509Certificate[] | undefined {
    const last = path.at(-1) as X509Certificate
    for (const root of this.#roots) {
      if (this.#signs(root, last, path.length - 1)) return [...path, root]
    }
    for (const next of this.#between) {
      if (path.some(({ raw }) => raw.equals(next.raw))) continue
      const longer = this.#signs(next, last, path.length - 1) && this.#extend([...path, next])
      if (longer) return longer
    }
    return undefined
  }

  /** True if `issuer` may sign and did; `authorities` stand between it and the certificate that is verified. */
  #signs(issuer: X509Certificate, signed: X509Certificate, authorities: number): boolean {
    if (issuer.subject !== signed.issuer || !signed.checkIssued(issuer)) return false
    if (this.#signatures++ >= mostSignatures) return false
    const problem = this.#problemOf(issuer) ?? this.#authorityProblem(issuer, authorities)
    if (problem === undefined && signed.verify(issuer.publicKey)) return true
    this.#why = problem === undefined ? 'a signature is wrong' : `its authority: ${problem}`
    return false
  }

  #authorityProblem(issuer: X509Certificate, authorities: number): string | undefined {
    if (!issuer.ca) return 'it is a certificate that may not sign others'
    const { pathLength = authorities } = this.#facts(issuer)
    return authorities > pathLength
      ? 'there are more authorities below it than it allows'
      : undefined
  }

  #problemOf(certificate: X509Certificate): string | undefined {
    const { from, until } = validityOf(certificate)
    if (!(this.#now >= from)) return 'it is not valid yet'
    if (!(this.#now <= until)) return 'it has expired'
    if (!isForClients(certificate)) return 'it is not for the use as a client'
    const { unknown, weak } = this.#facts(certificate)
    if (unknown !== undefined) return `its extension ${unknown} is not honoured here`
    return weak === undefined ? undefined : `its signature is by ${weak}, which can be forged`
  }
}

/** A certificate that names no use is for any. */
function isForClients({ keyUsage }: X509Certificate): boolean {
  const usages = (keyUsage as readonly string[] | undefined) ?? []
  return usages.length === 0 || usages.some((one) => clientUsages.has(one))
}

/** Not a number where a text is no date: nothing is valid then. */
function validityOf({ validFrom, validTo }: X509Certificate): { from: number; until: number } {
  return { from: Date.parse(validFrom), until: Date.parse(validTo) }
}
