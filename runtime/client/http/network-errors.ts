/** Why a server was not reached, in words that say what to mend. */

/** What a message about a failed request may name. */
export interface NetworkTarget {
  /** Name and port of the server. */
  readonly host: string
  readonly method: string
}

type Words = (target: NetworkTarget, error: NetworkError) => string

interface NetworkError {
  readonly code?: string
  readonly message?: string
  readonly cert?: { readonly subjectaltname?: string }
}

const untrusted: Words = ({ host }) =>
  `the certificate of ${host} is of an authority that is not trusted: name that authority in certificate-authority of the cluster`

const broken: Words = ({ host, method }) =>
  `${host} closed the connection before it answered${method === 'GET' ? '' : ': the request may have been carried out'}`

const unknownName: Words = ({ host }) => `the host name of ${host} is not known`

const unreachable: Words = ({ host }, { code }) => `${host} cannot be reached (${code})`

const noTls: Words = ({ host }) =>
  `${host} does not speak TLS: does its address begin with http:// and not with https://?`

const words: Readonly<Record<string, Words>> = {
  ECONNREFUSED: ({ host }) => `no server listens at ${host} (connection refused)`,
  ENOTFOUND: unknownName,
  EAI_AGAIN: unknownName,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ETIMEDOUT: unreachable,
  ECONNRESET: broken,
  EPIPE: broken,
  EPROTO: (target, error) =>
    /wrong version/i.test(error.message ?? '') ? noTls(target, error) : (error.message ?? ''),
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  CERT_HAS_EXPIRED: ({ host }) => `the certificate of ${host} has expired`,
  CERT_NOT_YET_VALID: ({ host }) => `the certificate of ${host} is not valid yet`,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: ({ host }, { cert }) =>
    `the certificate of ${host} is for ${cert?.subjectaltname ?? 'no name'}: set tls-server-name to one of its names`,
}

/** Why a request got no response; the error's own message where nothing better is known. */
export function networkErrorWords(error: unknown, target: NetworkTarget): string {
  const known = (error ?? {}) as NetworkError
  if (known.code?.startsWith('ERR_OSSL')) {
    return `the certificates or keys for ${target.host} cannot be used: ${known.message}`
  }
  if (known.code?.startsWith('ERR_HTTP2_')) return broken(target, known)
  return words[known.code ?? '']?.(target, known) || known.message || String(error)
}
