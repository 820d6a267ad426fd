import { type Awaitable, chainAwaitable } from '../../../kernel/async/awaitable.ts'
import type {
  AuthenticationRequest,
  AuthenticationResult,
  Authenticator,
} from '../authenticator.ts'
import { addGroup } from '../groups.ts'
import { PresentedToken, type TokenAuthenticator } from './token-authenticator.ts'

/** What is said of a token that no authenticator knows. */
const unknownToken = 'invalid bearer token'

/**
 * Authenticates by the bearer token of a request: in its `Authorization` header, whose scheme may be in any case (N-02), or, for a
 * websocket, in a subprotocol, since pages in browsers can set no headers. A token that is unknown is refused.
 */
export function bearerTokenAuthenticator(
  tokens: TokenAuthenticator,
  protocolPrefixes: readonly string[],
): Authenticator {
  const presentedBy = headerTokens()
  return {
    authenticate(request) {
      const presented = presentedBy(request) ?? protocolToken(request, protocolPrefixes)
      if (presented === undefined) return undefined
      const token = typeof presented === 'string' ? new PresentedToken(presented) : presented
      if (!(token instanceof PresentedToken)) return token
      return chainAwaitable(
        tokens.authenticate(token),
        (result): AuthenticationResult => result ?? { refused: unknownToken },
      )
    },
  }
}

/**
 * Reads tokens in headers. A connection that sends the same header again is given the same token, whose digest is known: nothing
 * else is remembered of it.
 */
function headerTokens(): (request: AuthenticationRequest) => PresentedToken | undefined {
  const last = new WeakMap<object, { readonly header: string; readonly token: PresentedToken }>()
  return ({ headers: { authorization }, peer }) => {
    if (authorization === undefined) return undefined
    const header = String(authorization)
    const known = peer && last.get(peer)
    if (known?.header === header) return known.token
    const text = tokenOf(header)
    if (text === undefined) return undefined
    const token = new PresentedToken(text)
    if (peer !== undefined) last.set(peer, { header, token })
    return token
  }
}

/** What a request with this token in its header would be told: whose it is, for one of the audiences. */
export function reviewToken(
  tokens: TokenAuthenticator,
  text: string,
  audiences: readonly string[],
): Awaitable<AuthenticationResult> {
  const token = tokenOf(`Bearer ${text}`)
  if (token === undefined) return undefined
  const wanted = audiences.length > 0 ? audiences : undefined
  return chainAwaitable(tokens.authenticate(new PresentedToken(token), wanted), (result) =>
    addGroup(result ?? { refused: unknownToken }),
  )
}

/** The token of a header; undefined if it is of another scheme or empty. */
function tokenOf(header: string): string | undefined {
  const [scheme = '', token = ''] = header.trim().split(' ', 2)
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined
}

/** The subprotocols that carry a token: `base64url.bearer.authorization.<api>.<token>`. */
export function bearerProtocols(apis: readonly string[]): readonly string[] {
  return apis.map((api) => `base64url.bearer.authorization.${api}.`)
}

/** The token of a websocket's subprotocol. There must be another one beside it, for the server to agree to. */
function protocolToken(
  { headers }: AuthenticationRequest,
  prefixes: readonly string[],
): string | AuthenticationResult {
  const { upgrade } = headers
  if (upgrade === undefined || String(upgrade).toLowerCase() !== 'websocket') return undefined
  const offered = String(headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((one) => one.trim())
  const encoded = offered.flatMap((one) => {
    const prefix = prefixes.find((known) => one.startsWith(known))
    return prefix === undefined ? [] : [one.slice(prefix.length)]
  })
  const [token = ''] = encoded
  if (token === '' && encoded.length < 2) return undefined
  if (encoded.length > 1) return { refused: 'several tokens among the subprotocols of a websocket' }
  if (!/^[A-Za-z0-9_-]+$/.test(token)) {
    return { refused: 'a token among the subprotocols of a websocket is not in base64url' }
  }
  if (offered.length === 1) return { refused: 'a websocket offers no subprotocol beside its token' }
  return decoded(token)
}

function decoded(token: string): string | AuthenticationResult {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(token, 'base64url'))
  } catch {
    return { refused: 'a token among the subprotocols of a websocket is not UTF-8' }
  }
}
