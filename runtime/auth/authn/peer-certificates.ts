import type { X509Certificate } from 'node:crypto'
import { type VerifiedCertificate, verifyClient } from '../../certificates/certificates.ts'
import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { AuthenticationPeer } from './authenticator.ts'

/** The authorities that vouch for certificates: another array once they have changed. */
export type CertificateRoots = () => readonly X509Certificate[]

/** Milliseconds for which a certificate that does not hold is not looked at again: it may be valid later. */
const refusedMs = 1000

/** What was found out about the certificate of a connection. */
interface PeerVerification<T> {
  readonly roots: readonly X509Certificate[]
  readonly validFrom: number
  readonly validUntil: number
  readonly result: T
}

/**
 * Verifies the certificates of peers, once for a connection: until the authorities change or one of the certificates ends. What is
 * known of a connection is told without a promise.
 */
export class PeerCertificates<T> {
  readonly #roots: CertificateRoots
  readonly #now: () => number
  readonly #judge: (verified: VerifiedCertificate | string) => T
  readonly #known = new WeakMap<AuthenticationPeer, PeerVerification<T>>()

  constructor(
    roots: CertificateRoots,
    now: () => number,
    judge: (verified: VerifiedCertificate | string) => T,
  ) {
    this.#roots = roots
    this.#now = now
    this.#judge = judge
  }

  /** What `judge` makes of the certificate; undefined for a peer that sent none. */
  of(peer: AuthenticationPeer | undefined): Awaitable<T | undefined> {
    if (peer?.certificate === undefined) return undefined
    const [known, roots, now] = [this.#known.get(peer), this.#roots(), this.#now()]
    if (known?.roots === roots && now >= known.validFrom && now <= known.validUntil) {
      return known.result
    }
    const sent = peer.certificate()
    if (sent === undefined) return undefined
    const verified = verifyClient(sent.raw, sent.chain, roots, now)
    if (!(verified instanceof Promise)) return this.#keep(peer, roots, verified)
    return verified.then((one) => this.#keep(peer, roots, one))
  }

  #keep(
    peer: AuthenticationPeer,
    roots: readonly X509Certificate[],
    verified: VerifiedCertificate | string,
  ): T {
    const result = this.#judge(verified)
    const now = this.#now()
    const { validFrom, validUntil } =
      typeof verified === 'string' ? { validFrom: now, validUntil: now + refusedMs } : verified
    this.#known.set(peer, { roots, validFrom, validUntil, result })
    return result
  }
}
