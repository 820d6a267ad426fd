import { isIPv6 } from 'node:net'

/** A URL with a scheme, or a path: what may stand in the first line of a request. */
export function isUri(text: string): boolean {
  if (text === '' || hasControl(text)) return false
  if (text === '*') return true
  const scheme = schemeOf(text)
  if (scheme === undefined) return false
  const rest = withoutQuery(scheme === '' ? text : text.slice(scheme.length + 1))
  if (!rest.startsWith('/')) return scheme !== ''
  if (scheme === '' || !rest.startsWith('//')) return hasWholeEscapes(rest)
  const slash = rest.indexOf('/', 2)
  const end = slash < 0 ? rest.length : slash
  return isAuthority(rest.slice(2, end)) && hasWholeEscapes(rest.slice(end))
}

function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}

/** The scheme; empty for a text without one, undefined for one that begins with a colon. */
function schemeOf(text: string): string | undefined {
  if (text.startsWith(':')) return undefined
  return /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? ''
}

function withoutQuery(text: string): string {
  const at = text.indexOf('?')
  return at < 0 ? text : text.slice(0, at)
}

function hasWholeEscapes(text: string): boolean {
  return !/%(?![0-9A-Fa-f]{2})/.test(text)
}

function isAuthority(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at < 0) return isHostAndPort(text)
  const user = text.slice(0, at)
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) || !hasWholeEscapes(user)) return false
  return isHostAndPort(text.slice(at + 1))
}

/** A name or an address in brackets, and a port of digits. */
function isHostAndPort(text: string): boolean {
  const open = text.lastIndexOf('[')
  if (open > 0) return false
  if (open === 0) {
    const close = text.lastIndexOf(']')
    return close > 0 && isPort(text.slice(close + 1)) && isLiteral(text.slice(1, close))
  }
  const colon = text.lastIndexOf(':')
  if (colon >= 0 && !isPort(text.slice(colon))) return false
  return isName(text)
}

function isPort(text: string): boolean {
  return text === '' || /^:\d*$/.test(text)
}

/** Bytes of a name are escaped only where they are not of ASCII; the percent sign is the exception. */
function isName(text: string): boolean {
  if (!hasWholeEscapes(text) || /%(?!25)[0-7]/.test(text)) return false
  return /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%]|[^\0-\x7f])*$/.test(text)
}

/** An IPv6 address, with a zone behind `%25` or without. */
function isLiteral(text: string): boolean {
  const at = text.indexOf('%25')
  if (at < 0) return isIPv6(text) && !text.includes('%')
  const zone = text.slice(at + 3)
  return isIPv6(text.slice(0, at)) && zone !== '' && isZone(zone)
}

function isZone(text: string): boolean {
  if (!hasWholeEscapes(text)) return false
  const plain = text.replace(/%25/g, '').replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => {
    const code = Number.parseInt(hex, 16)
    return code === 0x20 ? '' : code < 0x80 ? String.fromCharCode(code) : ''
  })
  return isName(plain) && !plain.includes('%')
}
