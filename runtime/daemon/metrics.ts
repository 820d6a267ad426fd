import { expositionTypes, type Metrics, type MetricValues } from '../observe/observe.ts'
import type { EndpointContext } from './endpoint-context.ts'

/** What a process tells of itself, and what the other processes of its server do. */
export interface MetricSource {
  readonly metrics: Metrics
  /** What the other processes have recorded by now. Absent, there are none. */
  readonly otherMetrics?: (() => Promise<readonly MetricValues[]>) | undefined
}

/** Writes the metrics whose names begin with `prefix` in the format that the client prefers. */
export async function sendMetrics(
  ctx: EndpointContext,
  { metrics, otherMetrics }: MetricSource,
  prefix = '',
): Promise<void> {
  const openmetrics = preferredType(ctx.get('accept')) === 'application/openmetrics-text'
  const format = openmetrics ? 'openmetrics' : 'prometheus'
  const values = await otherMetrics?.()
  ctx.set('Content-Type', expositionTypes[format])
  ctx.status = 200
  ctx.body = Buffer.from(metrics.text(format, (name) => name.startsWith(prefix), values))
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
