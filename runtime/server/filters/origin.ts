import { AccessError } from '../../auth/auth.ts'
import type { Filter } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { type HttpRequest, headerOf } from '../http/request.ts'

/**
 * Refuses what a browser sends for a page of another site: under a name that is not the server's, where such a page would be
 * of the server's own origin, or from another origin than those that are allowed. Programs send neither an origin nor such a name.
 */
export function origin({ servedHost, allowedOrigin }: ServerContext): Filter {
  return function origin({ state: { request } }, next) {
    if (request.peer === undefined) return next()
    const host = headerOf(request, 'host')
    if (!servedHost(host)) {
      throw new AccessError(
        `the host ${JSON.stringify(host)} is not a name of this server: use localhost or an IP address, or name it in --allowed-hosts`,
      )
    }
    const { origin, 'sec-fetch-site': site } = request.headers
    if (origin === undefined && site === undefined) return next()
    const from = headerOf(request, 'origin')
    if (isOwnPage(request, host, from) || (from !== undefined && allowedOrigin?.(from)))
      return next()
    const who =
      from === undefined ? 'a page of another origin' : `the origin ${JSON.stringify(from)}`
    throw new AccessError(
      `${who} may not make requests: --cors-allowed-origins names those that may`,
    )
  }
}

/**
 * True for what the browser says is of the origin that it reached the server by, through a proxy perhaps, for what the user typed
 * himself, and for a link that he followed, whose target the linking page cannot read. Browsers that do not say it name the origin.
 */
function isOwnPage(request: HttpRequest, host = '', from: string | undefined): boolean {
  const site = headerOf(request, 'sec-fetch-site')
  if (site === 'same-origin' || site === 'none') return true
  if (site !== undefined) return isFollowedLink(request)
  return from !== undefined && URL.canParse(from) && new URL(from).host === host.toLowerCase()
}

function isFollowedLink(request: HttpRequest): boolean {
  return (
    request.method === 'GET' &&
    headerOf(request, 'sec-fetch-mode') === 'navigate' &&
    headerOf(request, 'sec-fetch-dest') === 'document'
  )
}
