import { expositionTypes, type Metrics } from '../observe/observe.ts'
import type { EndpointContext } from './endpoint-context.ts'

/** Writes the metrics whose names begin with `prefix` in the format that the client prefers. */
export function sendMetrics(ctx: EndpointContext, metrics: Metrics, prefix = ''): void {
  const openmetrics = preferredType(ctx.get('accept')) === 'application/openmetrics-text'
  const format = openmetrics ? 'openmetrics' : 'prometheus'
  ctx.set('Content-Type', expositionTypes[format])
  ctx.status = 200
  ctx.body = Buffer.from(metrics.text(format, (name) => name.startsWith(prefix)))
}

/** The media type of the greatest quality, without its parameters: scrapers name a version that we need not match. */
function preferredType(accept: string): string | undefined {
  const entries = accept.split(',').map((entry) => {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((one) => one.startsWith('q='))?.slice(2) ?? '1'
    return { type, quality: Number(quality) }
  })
  return entries.sort((a, b) => b.quality - a.quality)[0]?.type
}
