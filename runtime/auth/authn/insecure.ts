import type { AuthenticationResult, Authenticator } from './authenticator.ts'

const result: AuthenticationResult = {
  user: { username: 'system:unsecured', groups: ['system:masters', 'system:authenticated'] },
}

/**
 * Takes every request over a connection without TLS for one of an administrator: for a port that only programs of this machine reach,
 * and that was asked for. Has no opinion about requests over TLS.
 */
export const insecureAuthenticator: Authenticator = {
  authenticate: ({ peer }) =>
    peer !== undefined && peer.certificate === undefined ? result : undefined,
}
