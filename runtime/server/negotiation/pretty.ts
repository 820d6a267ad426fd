import type { Query } from '../http/query.ts'
import { type HttpRequest, headerOf } from '../http/request.ts'

/** Programs that show a response to a person. */
const humanAgents = /^(curl|Wget|Mozilla\/5\.0)/
/** What the public API server reads as true. */
const truthy: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])

/** True if a response is to be indented: as the parameter `pretty` says or, without it, for browsers and download tools. */
export function wantsPretty(request: HttpRequest, query: Query): boolean {
  const wanted = query.text('pretty')
  if (wanted) return truthy.has(wanted)
  return humanAgents.test(headerOf(request, 'user-agent') ?? '')
}
