/** As a transport gives them. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** What a connection, a clock and a length say, beside the status that HTTP/2 has among its headers: it differs between two answers that are alike. */
const passedOver = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
])

/** Headers whose values every server makes itself: that they are there is compared. */
const identifying = /^(audit-id|etag|last-modified|x-kubernetes-pf-.*)$/

/**
 * The headers of an answer that are compared, by lower-case name; those that identify something are only `present`. What HTTP/2 puts
 * among them, such as `:status`, is none.
 */
export function comparedHeaders(headers: Headers): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || passedOver.has(name) || name.startsWith(':')) return []
    const text = typeof value === 'string' ? value : value.join('\n')
    return [[name, identifying.test(name) ? 'present' : text]]
  })
  return Object.fromEntries(entries)
}
