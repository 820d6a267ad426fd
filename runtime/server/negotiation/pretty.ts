import { type HttpRequest, headerOf } from '../http/message.ts'
import type { Query } from '../http/query.ts'

const humanAgents = /^(curl|Wget|Mozilla\/5\.0)/
const truthy: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])

/** True if a response is to be indented: when `pretty` says so or, without it, when a browser or a download tool asks. */
export function wantsPretty(request: HttpRequest, query: Query): boolean {
  const wanted = query.text('pretty')
  if (wanted) return truthy.has(wanted)
  return humanAgents.test(headerOf(request, 'user-agent') ?? '')
}
