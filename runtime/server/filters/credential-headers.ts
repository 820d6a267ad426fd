import type { HttpRequest } from '../http/request.ts'

/** Those of the bearer: once its user is known, nothing that follows may see or pass on what it could act by. */
function isCredential(name: string): boolean {
  if (name === 'authorization') return true
  if (!name.startsWith('x-remote-')) return false
  return name === 'x-remote-user' || name === 'x-remote-group' || name.startsWith(remoteExtra)
}

const remoteExtra = 'x-remote-extra-'
const tokenProtocol = 'base64url.bearer.authorization.'

/** The request without the credentials by which its user was found. The same request where it carries none. */
export function withoutCredentials(request: HttpRequest): HttpRequest {
  const { headers } = request
  const names: string[] = []
  for (const name in headers) if (isCredential(name)) names.push(name)
  const protocols = headers['sec-websocket-protocol']
  const left = names.length === 0 ? request : withoutHeaders(request, names)
  if (protocols === undefined || !String(protocols).includes(tokenProtocol)) return left
  const kept = String(protocols)
    .split(',')
    .filter((one) => !one.trim().startsWith(tokenProtocol))
  return { ...left, headers: { ...left.headers, 'sec-websocket-protocol': kept.join(',') } }
}

/** The request without some of its headers. They go from the message that carried it, too: middleware reads that. */
export function withoutHeaders(request: HttpRequest, names: readonly string[]): HttpRequest {
  const headers = request.headers as Record<string, unknown>
  for (const name of names) delete headers[name]
  return request
}
