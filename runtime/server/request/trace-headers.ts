import { type HttpRequest, headerOf } from '../http/request.ts'

/** A trace, a span of it and flags, as W3C Trace Context writes them. */
const traceParent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** Characters of a header that is passed on. */
const longest = 8192

/** The headers of a request that name the trace it belongs to, for requests that it brings about; undefined if it names none. */
export function traceOf(request: HttpRequest): Readonly<Record<string, string>> | undefined {
  const parent = headerOf(request, 'traceparent')
  const baggage = headerOf(request, 'baggage')
  if (parent === undefined && baggage === undefined) return undefined
  const known = parent !== undefined && traceParent.test(parent)
  const state = known ? headerOf(request, 'tracestate') : undefined
  return {
    ...(known && { traceparent: parent }),
    ...(isShort(state) && { tracestate: state }),
    ...(isShort(baggage) && { baggage }),
  }
}

function isShort(text: string | undefined): text is string {
  return text !== undefined && text.length <= longest
}
