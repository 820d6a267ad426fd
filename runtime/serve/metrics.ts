import { slisGate } from '../kernel/gates.ts'
import { expositionTypes } from '../observe/observe.ts'
import type { Core } from './core.ts'
import { type Answer, headerOf, type Incoming } from './exchange.ts'
import { parseAccept } from './media.ts'

/** `/metrics`, and behind its gate `/metrics/slis` with the health checks alone. */
export function metricsAnswer(
  { metrics, tree, gates }: Core,
  request: Incoming,
  rest: readonly string[],
): Answer | undefined {
  const slis = rest.length === 1 && rest[0] === 'slis'
  if (rest.length > 0 && !(slis && gates.has(slisGate))) return undefined
  const wanted = parseAccept(headerOf(request, 'accept') ?? '')[0]?.type
  const format = wanted === 'application/openmetrics-text' ? 'openmetrics' : 'prometheus'
  const health = `${tree.platform.brand}_healthcheck`
  const text = metrics.text(format, (name) => !slis || name.startsWith(health))
  return {
    status: 200,
    headers: { 'Content-Type': expositionTypes[format] },
    body: Buffer.from(text),
  }
}
