/**
 * Parses URLs as the reference API server does: an absolute URI or an absolute path, split by RFC 3986, with spaces in
 * a path escaped instead of refused. `new URL` reads the WHATWG dialect, which normalises parts that the accessors must
 * show as written.
 */

/** The components of a URL. `host` includes the port and the brackets of an IPv6 address. */
export interface UrlParts {
  readonly scheme: string
  readonly user: string
  readonly host: string
  readonly escapedPath: string
  readonly rawQuery: string
  readonly fragment: string
}

/** Why a text is no URL, in the words of Go's `net/url`. */
interface Failure {
  readonly error: string
}

/** The components of a URL, or why the text is none. */
export function parseUrl(text: string): UrlParts | Failure {
  const failed = parseParts(text, true)
  if ('error' in failed) return { error: `parse ${quoteText(text)}: ${failed.error}` }
  const at = text.indexOf('#')
  if (at < 0) return failed
  const parts = parseParts(text.slice(0, at), false)
  const fragment = unescaped(text.slice(at + 1))
  if ('error' in parts) return { error: `parse ${quoteText(text.slice(0, at))}: ${parts.error}` }
  if (typeof fragment !== 'string') return { error: `parse ${quoteText(text)}: ${fragment.error}` }
  return { ...parts, fragment }
}

/** The text as an error message shows it, at most 200 UTF-16 units of it. */
function quoteText(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}...` : text)
}

const empty: UrlParts = {
  scheme: '',
  user: '',
  host: '',
  escapedPath: '',
  rawQuery: '',
  fragment: '',
}

/** The components of a URL without its fragment. `absolute`: a relative reference is refused. */
function parseParts(text: string, absolute: boolean): UrlParts | Failure {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\x00-\x1f\x7f]/.test(text)) {
    return { error: 'net/url: invalid control character in URL' }
  }
  if (text === '' && absolute) return { error: 'empty url' }
  if (text.startsWith(':')) return { error: 'missing protocol scheme' }
  if (text === '*') return { ...empty, escapedPath: '*' }
  const scheme = (/^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1] ?? '').toLowerCase()
  const [rest, rawQuery] = cut(scheme === '' ? text : text.slice(scheme.length + 1), '?')
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...empty, scheme, rawQuery }
    if (absolute) return { error: 'invalid URI for request' }
  }
  const hasHost = (scheme !== '' || (!absolute && !rest.startsWith('///'))) && rest.startsWith('//')
  if (!hasHost) return withPath({ ...empty, scheme, rawQuery }, rest)
  const slash = rest.indexOf('/', 2)
  const authority = rest.slice(2, slash < 0 ? rest.length : slash)
  const parts = authorityOf(authority)
  if ('error' in parts) return parts
  return withPath({ ...empty, scheme, rawQuery, ...parts }, slash < 0 ? '' : rest.slice(slash))
}

/** The text before and after the first `at`. */
function cut(text: string, at: string): readonly [string, string] {
  const index = text.indexOf(at)
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)]
}

/** Adds the path, escaped where it was not already. */
function withPath(parts: UrlParts, path: string): UrlParts | Failure {
  const plain = unescaped(path)
  if (typeof plain !== 'string') return plain
  const asWritten = /^[a-zA-Z0-9\-_.~!$&'()*+,;=:@/[\]%]*$/.test(path)
  return { ...parts, escapedPath: asWritten ? path : escapedPath(plain) }
}

/** User and host of the authority component. */
function authorityOf(authority: string): { user: string; host: string } | Failure {
  const at = authority.lastIndexOf('@')
  const host = hostOf(authority.slice(at + 1))
  if (typeof host !== 'string') return host
  if (at < 0) return { user: '', host }
  const user = authority.slice(0, at)
  if (!/^[a-zA-Z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) {
    return { error: 'net/url: invalid userinfo' }
  }
  const plain = unescaped(user)
  return typeof plain === 'string' ? { user, host } : plain
}

/** The host with its port, after checking both. */
function hostOf(host: string): string | Failure {
  const closing = host.lastIndexOf(']')
  if (host.startsWith('[') && closing < 0) return { error: "missing ']' in host" }
  const colon = host.startsWith('[') ? closing + 1 : host.lastIndexOf(':')
  const port = colon < 0 ? '' : host.slice(colon)
  if (!/^(:[0-9]*)?$/.test(port)) return { error: `invalid port ${quoteText(port)} after host` }
  const bad = /%(?!25|[89a-fA-F][0-9a-fA-F])..?|%$/.exec(host)
  if (bad !== null) return { error: `invalid URL escape ${quoteText(bad[0])}` }
  const odd = /[^a-zA-Z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u.exec(host)
  if (odd !== null) return { error: `invalid character ${quoteText(odd[0])} in host name` }
  return unescaped(host)
}

/** The text with percent sequences decoded; bytes that are no UTF-8 become replacement characters. */
function unescaped(text: string): string | Failure {
  if (!text.includes('%')) return text
  const bad = /%(?![0-9a-fA-F]{2})(.{0,2})/.exec(text)
  if (bad !== null) return { error: `invalid URL escape ${quoteText(bad[0])}` }
  return text.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
  )
}

/** The path with every byte escaped that may not stand in one. */
function escapedPath(path: string): string {
  return path.replaceAll(/[^a-zA-Z0-9\-_.~$&+,/:;=@]+/g, (run) =>
    [...Buffer.from(run, 'utf8')]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  )
}

/** The host without its port and without the brackets of an IPv6 address. */
export function hostnameOf(parts: UrlParts): string {
  const bracketed = /^\[(.*)\]/.exec(parts.host)
  return bracketed?.[1] ?? cut(parts.host, ':')[0]
}

/** The port's digits; empty without a port. */
export function portOf(parts: UrlParts): string {
  return /:([0-9]*)$/.exec(parts.host.slice(parts.host.lastIndexOf(']') + 1))?.[1] ?? ''
}

/** The query's keys, each with its values in order, decoded. A pair that cannot be decoded is left out. */
export function queryOf(parts: UrlParts): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const pair of parts.rawQuery.split('&')) {
    if (pair === '' || pair.includes(';')) continue
    const [key, value] = cut(pair, '=').map((text) => unescaped(text.replaceAll('+', ' ')))
    if (typeof key !== 'string' || typeof value !== 'string') continue
    const values = found.get(key)
    if (values === undefined) found.set(key, [value])
    else values.push(value)
  }
  return found
}
