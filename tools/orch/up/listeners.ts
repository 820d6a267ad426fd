import type { ApiServerOptions } from '../../../runtime/apiserver/apiserver.ts'
import {
  insecureAuthenticator,
  parseSigningKey,
  type SigningKey,
} from '../../../runtime/auth/auth.ts'
import type { Options } from '../../../runtime/config/config.ts'
import { frontProxyTrust, type LocalCertificates } from '../local-certificates.ts'

/** TLS for those who have a certificate, and the port without it that was asked for. */
export function listeners(
  options: Options,
  { ca, server, tokenKey, frontProxy }: LocalCertificates,
): Pick<ApiServerOptions, 'secure' | 'listen' | 'authentication'> {
  const host = '127.0.0.1'
  const secure = {
    host,
    port: options.number('port'),
    certificate: server,
    clientAuthorities: { pem: ca },
    requestHeader: frontProxyTrust(frontProxy),
  }
  const signingKey = tokenKeyOf({ tokenKey })
  const authentication = {
    bootstrapTokens: true,
    ...(signingKey && { serviceAccounts: { signingKey } }),
  }
  if (options.origin('insecure-port') === 'default') {
    return { secure, authentication }
  }
  const listen = { host, port: options.number('insecure-port') }
  return {
    secure,
    listen,
    authentication: { ...authentication, connection: [insecureAuthenticator] },
  }
}

/** The key that signs tokens of service accounts. */
export function tokenKeyOf({
  tokenKey,
}: Pick<LocalCertificates, 'tokenKey'>): (() => SigningKey) | undefined {
  const [key] = parseSigningKey(tokenKey).keys
  return key && (() => key)
}
