import { slisGate } from '../../kernel/descriptors/enabled-gates.ts'
import { expositionTypes } from '../../observe/observe.ts'
import { type HttpRequest, type HttpResponse, headerOf } from '../http/message.ts'
import { parseAccept } from '../negotiation/media-types.ts'
import type { ServerContext } from '../server-context.ts'

/** `/metrics`, and behind its gate `/metrics/slis` with the health checks alone. */
export function metricsResponse(
  { metrics, view: { scheme }, gates }: ServerContext,
  request: HttpRequest,
  rest: readonly string[],
): HttpResponse | undefined {
  const slis = rest.length === 1 && rest[0] === 'slis'
  if (rest.length > 0 && !(slis && gates.has(slisGate))) return undefined
  const wanted = parseAccept(headerOf(request, 'accept') ?? '')[0]?.type
  const format = wanted === 'application/openmetrics-text' ? 'openmetrics' : 'prometheus'
  const health = `${scheme.platform.brand}_healthcheck`
  const text = metrics.text(format, (name) => !slis || name.startsWith(health))
  return {
    status: 200,
    headers: { 'Content-Type': expositionTypes[format] },
    body: Buffer.from(text),
  }
}
