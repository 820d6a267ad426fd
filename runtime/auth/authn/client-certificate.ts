import { subjectOf, type VerifiedCertificate } from '../../certificates/certificates.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { AuthenticationResult, Authenticator } from './authenticator.ts'
import { type CertificateRoots, PeerCertificates } from './peer-certificates.ts'

/** Who vouches for the certificates of clients. */
export interface ClientCertificateOptions {
  readonly roots: CertificateRoots
  readonly clock: Clock
}

/**
 * Names the user by the certificate of the connection, if an authority vouches for it (N-03): its common name is the user, its
 * organizations are the groups. Refuses a certificate for which none does; has no opinion where there is none, or one without
 * a common name.
 */
export function clientCertificateAuthenticator({
  roots,
  clock,
}: ClientCertificateOptions): Authenticator {
  const certificates = new PeerCertificates(roots, () => clock.now(), userOf)
  return { authenticate: ({ peer }) => certificates.of(peer) }
}

function userOf(verified: VerifiedCertificate | string): AuthenticationResult {
  if (typeof verified === 'string') return { refused: `client certificate: ${verified}` }
  const { commonName, organizations } = subjectOf(verified.certificate)
  if (commonName === '') return undefined
  return { user: { username: commonName, groups: [...organizations] } }
}
