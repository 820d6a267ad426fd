import type { Query } from '../http/query.ts'
import { type HttpRequest, headerOf } from '../http/request.ts'
import type { NegotiatedMedia } from './media-types.ts'

/** Programs that show a response to a person. */
const humanAgents = /^(curl|Wget|Mozilla\/5\.0)/
/** What the public API server reads as true. */
const truthy: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])

/**
 * True if a response is to be indented: as the media type or the parameter `pretty` says or, without these, for browsers and download
 * tools.
 */
export function wantsPretty(
  request: HttpRequest,
  query: Query,
  media?: Pick<NegotiatedMedia, 'pretty'>,
): boolean {
  if (media?.pretty) return true
  const wanted = query.text('pretty')
  if (wanted) return truthy.has(wanted)
  return humanAgents.test(headerOf(request, 'user-agent') ?? '')
}
