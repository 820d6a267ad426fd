import { subjectOf, type VerifiedCertificate } from '../../certificates/certificates.ts'
import { chainAwaitable } from '../../kernel/async/awaitable.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import {
  type AuthenticationRequest,
  type AuthenticationResult,
  type Authenticator,
  headerValues,
} from './authenticator.ts'
import { type CertificateRoots, PeerCertificates } from './peer-certificates.ts'

/** Which proxies are believed, and in which headers they name users. */
export interface RequestHeaderOptions {
  /** Who vouches for the certificates of proxies. */
  readonly roots: CertificateRoots
  /** The common names of certificates that may name users; empty for any. */
  readonly allowedNames: readonly string[]
  /** The first of these headers that is there names the user. */
  readonly usernameHeaders: readonly string[]
  /** Each value of each of these headers is a group. */
  readonly groupHeaders: readonly string[]
  /** What begins so is further facts of the user: the rest of the name, decoded, is the key. */
  readonly extraHeaderPrefixes: readonly string[]
  readonly clock: Clock
}

/** Nothing is wrong with a proxy's certificate; otherwise, why it may not name users. */
type ProxyVerdict = { readonly refused: string } | 'believed'

/**
 * Names the user whom a proxy in front of the server names in headers (N-15), if an authority vouches for the certificate of
 * the proxy. Refuses other certificates, which another authenticator may take; has no opinion without one, and where the
 * headers name no user. The headers of a user who was named are removed: they go no further.
 */
export function requestHeaderAuthenticator(options: RequestHeaderOptions): Authenticator {
  const allowed = new Set(options.allowedNames)
  const judge = (verified: VerifiedCertificate | string): ProxyVerdict => {
    if (typeof verified === 'string') return { refused: `certificate of a proxy: ${verified}` }
    const { commonName } = subjectOf(verified.certificate)
    if (allowed.size === 0 || allowed.has(commonName)) return 'believed'
    return { refused: `certificate of a proxy: ${JSON.stringify(commonName)} may not name users` }
  }
  const proxies = new PeerCertificates(options.roots, () => options.clock.now(), judge)
  const names = {
    users: options.usernameHeaders.map((name) => name.toLowerCase()),
    groups: options.groupHeaders.map((name) => name.toLowerCase()),
    extra: options.extraHeaderPrefixes.map((prefix) => prefix.toLowerCase()),
  }
  return {
    authenticate: (request) =>
      chainAwaitable(proxies.of(request.peer), (verdict) =>
        verdict === 'believed' ? namedUser(request, names) : verdict,
      ),
  }
}

/** Names of headers in lower case. */
interface HeaderNames {
  readonly users: readonly string[]
  readonly groups: readonly string[]
  readonly extra: readonly string[]
}

function namedUser(request: AuthenticationRequest, names: HeaderNames): AuthenticationResult {
  const username = names.users.map((name) => textsOf(request, name)[0] ?? '').find(Boolean)
  if (username === undefined) return undefined
  const groups = names.groups.flatMap((name) => textsOf(request, name))
  const extra = extraOf(request, names.extra)
  const used = [...names.users, ...names.groups, ...extra.names]
  for (const name of used) delete (request.headers as Record<string, unknown>)[name]
  return {
    user: {
      username,
      groups,
      ...(extra.values.size > 0 && { extra: Object.fromEntries(extra.values) }),
    },
  }
}

/** The values of a header, which are texts in UTF-8; node:http gives a character for each byte. */
function textsOf(request: AuthenticationRequest, name: string): readonly string[] {
  return headerValues(request, name).map((value) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
    /^[\x00-\x7f]*$/.test(value) ? value : Buffer.from(value, 'latin1').toString(),
  )
}

function extraOf(request: AuthenticationRequest, prefixes: readonly string[]) {
  const values = new Map<string, string[]>()
  const names: string[] = []
  for (const name of Object.keys(request.headers)) {
    const prefix = prefixes.find((one) => name.startsWith(one))
    if (prefix === undefined) continue
    names.push(name)
    const key = decodedKey(name.slice(prefix.length))
    values.set(key, [...(values.get(key) ?? []), ...textsOf(request, name)])
  }
  return { values, names }
}

/** A key with its characters percent-encoded, as header names cannot have all; as it is, where that is not so. */
function decodedKey(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}
