import type { X509Certificate } from 'node:crypto'
import { subjectOf, type VerifiedCertificate } from '../../certificates/certificates.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { AuthenticationResult, Authenticator } from './authenticator.ts'
import { type CertificateRoots, PeerCertificates } from './peer-certificates.ts'

/** Who vouches for the certificates of clients. */
export interface ClientCertificateOptions {
  readonly roots: CertificateRoots
  readonly clock: Clock
  /** Hears of each request by a certificate that is vouched for, and for how many milliseconds it is still good. */
  readonly onUse?: ((remainingMs: number) => void) | undefined
}

/** Whose a certificate is, and when it ends. */
interface Judged {
  readonly result: AuthenticationResult
  readonly endsAt?: number
}

/**
 * Names the user by the certificate of the connection, if an authority vouches for it (N-03): its common name is the user, its
 * organizations are the groups. Refuses a certificate for which none does; has no opinion where there is none, or one without
 * a common name.
 */
export function clientCertificateAuthenticator({
  roots,
  clock,
  onUse,
}: ClientCertificateOptions): Authenticator {
  const certificates = new PeerCertificates(roots, () => clock.now(), judge)
  const told = (judged: Judged | undefined): AuthenticationResult => {
    if (judged?.endsAt !== undefined) onUse?.(judged.endsAt - clock.now())
    return judged?.result
  }
  return {
    authenticate({ peer }) {
      const judged = certificates.of(peer)
      return judged instanceof Promise ? judged.then(told) : told(judged)
    },
  }
}

function judge(verified: VerifiedCertificate | string): Judged {
  if (typeof verified === 'string') {
    return { result: { refused: `client certificate: ${verified}` } }
  }
  const { certificate } = verified
  return { result: userOf(certificate), endsAt: Date.parse(certificate.validTo) }
}

function userOf(certificate: X509Certificate): AuthenticationResult {
  const { commonName, organizations } = subjectOf(certificate)
  if (commonName === '') return undefined
  return { user: { username: commonName, groups: [...organizations] } }
}
