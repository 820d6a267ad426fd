/** Requests as they are passed on: who asks is said in headers, which the other server believes because of our certificate. */
import type { UserInfo } from '../kernel/auth/user-info.ts'

type HeaderValue = string | readonly string[] | undefined

/** A request that is passed on. */
export interface PassedRequest {
  readonly method: string
  /** Path and query as they were sent. */
  readonly url: string
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, HeaderValue>>
  /** The body as it arrives. */
  readonly body: () => AsyncIterable<Uint8Array>
  /** The whole body, where it has been read. */
  readonly received?: Uint8Array
  readonly peer?: { readonly remoteAddress?: string | undefined }
}

/** What concerns a connection and not the request, and what the other server is told by us alone. */
const ours: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const identity = /^(x-remote-(user$|group$|extra-)|impersonate-)/

/** Who asks, and where the request came from and goes to. */
export interface Passing {
  readonly user: UserInfo
  readonly auditId: string
  /** Host and port of the other server. */
  readonly host: string
}

/**
 * The headers of a request as it is passed on. Credentials of the client, and what it says of its identity itself, stay here.
 *
 * @throws an Error for a user whose name or groups no header can carry as they are.
 */
export function passedHeaders(
  { headers, url, peer }: PassedRequest,
  { user, auditId, host }: Passing,
): Record<string, string | readonly string[]> {
  const listed = listOf(headers.connection)
  const passed: Record<string, string | readonly string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || ours.has(name) || identity.test(name) || listed.has(name)) continue
    passed[name] = value
  }
  const hops = [passed['x-forwarded-for'], peer?.remoteAddress].flat()
  return {
    ...passed,
    host,
    'audit-id': auditId,
    'x-forwarded-for': hops.filter((hop) => hop !== undefined && hop !== '').join(', '),
    'x-forwarded-host': host,
    'x-forwarded-proto': 'https',
    'x-forwarded-uri': url.replace(/\?.*/s, ''),
    ...userHeaders(user),
  }
}

/** The headers that a connection names as its own, in lower case. */
function listOf(value: HeaderValue): ReadonlySet<string> {
  const text = value === undefined ? '' : String(value)
  return new Set(text.split(',').map((name) => name.trim().toLowerCase()))
}

/** The user in headers. @throws an Error for a value that would not arrive as it is. */
export function userHeaders({
  username,
  groups,
  extra = {},
}: UserInfo): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = {
    'x-remote-user': headerText('X-Remote-User', username),
  }
  if (groups.length > 0) {
    headers['x-remote-group'] = groups.map((group) => headerText('X-Remote-Group', group))
  }
  for (const [key, values] of Object.entries(extra)) {
    const name = `x-remote-extra-${escapedKey(key).toLowerCase()}`
    const before = [headers[name] ?? []].flat()
    headers[name] = [...before, ...values.map((value) => headerText(name, value))]
  }
  return headers
}

/** A text in UTF-8, as node:http takes its bytes. White space at its ends would be lost on the way: `admin ` would become `admin`. */
function headerText(name: string, text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(text) || /^[ \t]|[ \t]$/.test(text)) {
    throw new Error(`net/http: invalid header field value for "${name}"`)
  }
  return Buffer.from(text).toString('latin1')
}

/** A key of further facts as part of a header's name: what cannot stand in one is percent-encoded. */
function escapedKey(key: string): string {
  return [...Buffer.from(key)]
    .map((byte) => {
      const one = String.fromCharCode(byte)
      if (/^[\w!#$&'*+.^`|~-]$/.test(one)) return one
      return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
}

/** Servers that a request may pass before it is taken to go in a circle. */
const mostHops = 16

/** True for a request that passed so many servers that it goes in a circle. */
export function goesInCircle({ headers }: PassedRequest): boolean {
  const hops = headers['x-forwarded-for']
  return hops !== undefined && String(hops).split(',').length >= mostHops
}

/** What is not passed back: facts of the other connection, and what this server says of the request itself. */
const notPassedBack: ReadonlySet<string> = new Set([
  'audit-id',
  'connection',
  'date',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The headers of an answer by their usual names, each with all its values. `raw` is names and values in turn. */
export function answeredHeaders(
  raw: readonly string[],
  keepsUpgrade = false,
): Record<string, string | readonly string[]> {
  const values = new Map<string, string[]>()
  const listed = new Set<string>()
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name, value] = [(raw[at] as string).toLowerCase(), raw[at + 1] as string]
    if (name === 'connection') for (const one of listOf(value)) listed.add(one)
    values.set(name, [...(values.get(name) ?? []), value])
  }
  const headers: Record<string, string | readonly string[]> = {}
  for (const [name, all] of values) {
    const isUpgrade = keepsUpgrade && (name === 'upgrade' || name === 'connection')
    if (!isUpgrade && (notPassedBack.has(name) || listed.has(name))) continue
    if (/^x-[a-z0-9]+-pf-(flowschema|prioritylevel)-uid$/.test(name)) continue
    headers[usualName(name)] = all.length === 1 ? (all[0] as string) : all
  }
  return headers
}

/** `content-type` as `Content-Type`. */
function usualName(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())
}
