/** The messages of connection and TLS errors, in the words that users of webhooks search for. */
import type { WebhookDestination } from './destination.ts'

/** What errors say of where a request went. */
type Place = Pick<WebhookDestination, 'url' | 'serverName'>

const verification = 'tls: failed to verify certificate: x509:'
const unknownAuthority = () => `${verification} certificate signed by unknown authority`
const notValid = () => `${verification} certificate has expired or is not yet valid`
const noSuchHost = ({ url }: Place) => `dial tcp: lookup ${url.hostname}: no such host`

const messages = new Map<string, (destination: Place, error: object) => string>([
  ['ECONNREFUSED', ({ url }) => `dial tcp ${url.host}: connect: connection refused`],
  ['ECONNRESET', () => 'EOF'],
  ['ENOTFOUND', noSuchHost],
  ['EAI_AGAIN', noSuchHost],
  ['CERT_HAS_EXPIRED', notValid],
  ['CERT_NOT_YET_VALID', notValid],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', unknownAuthority],
  ['SELF_SIGNED_CERT_IN_CHAIN', unknownAuthority],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', unknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', unknownAuthority],
  ['ERR_TLS_CERT_ALTNAME_INVALID', hostnameMismatch],
])

/** The message for an error of node:https by its code; the error's own message for other codes. */
export function describeError(error: unknown, destination: Place): string {
  const { code = '', message = String(error) } = error as { code?: string; message?: string }
  return messages.get(code)?.(destination, error as object) ?? message
}

/** The certificate is not for the host name or IP address. */
function hostnameMismatch({ serverName, url }: Place, error: object): string {
  const { cert } = error as { readonly cert?: { readonly subjectaltname?: string } }
  const names = (cert?.subjectaltname ?? '').split(', ')
  const [kind, wanted] = serverName === '' ? ['IP Address:', url.hostname] : ['DNS:', serverName]
  const valid = names.flatMap((name) => (name.startsWith(kind) ? [name.slice(kind.length)] : []))
  if (valid.length > 0) {
    return `${verification} certificate is valid for ${valid.join(', ')}, not ${wanted}`
  }
  return serverName === ''
    ? `${verification} cannot validate certificate for ${wanted} because it doesn't contain any IP SANs`
    : `${verification} certificate is not valid for any names, but wanted to match ${wanted}`
}
