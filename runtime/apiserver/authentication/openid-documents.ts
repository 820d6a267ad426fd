import { jwkOf } from '../../auth/auth.ts'
import type { ServerDocument } from '../../server/server.ts'
import type { Accounts } from './accounts.ts'

/** Where the keys are. */
const keysPath = '/openid/v1/jwks'

/** An hour, in which the keys that others keep may be old. */
const cacheControl = 'public, max-age=3600'

/**
 * The documents of OpenID Connect by which others verify the tokens of this server: who issues them, and its keys. None if the
 * issuer is no plain https URL, as the standard wants it.
 */
export function openidDocuments(
  { issuers: [issuer = ''], keys, jwksUri }: Accounts,
  address: () => string,
): ReadonlyMap<string, ServerDocument> {
  if (!isIssuerUrl(issuer)) return new Map()
  const configuration = (): object => ({
    issuer,
    jwks_uri: jwksUri || `https://${address()}${keysPath}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(keys().map((key) => key.algorithm))].sort(),
  })
  const set = (): object => ({ keys: keys().map(jwkOf) })
  return new Map([
    ['/.well-known/openid-configuration', document('application/json', configuration)],
    [keysPath, document('application/jwk-set+json', set)],
  ])
}

function document(contentType: string, content: () => object): ServerDocument {
  return { contentType, cacheControl, text: () => JSON.stringify(content()) }
}

/** True for an issuer that the standard allows: an https URL without query and fragment. */
export function isIssuerUrl(issuer: string): boolean {
  if (!URL.canParse(issuer)) return false
  const { protocol, search, hash } = new URL(issuer)
  return protocol === 'https:' && search === '' && hash === ''
}
