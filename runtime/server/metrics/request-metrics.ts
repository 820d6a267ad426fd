import type { Clock } from '../../kernel/async/clock.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { collectProcessMetrics, type Metrics } from '../../observe/observe.ts'
import type { Target } from '../../registry/registry.ts'
import type { HttpRequest, HttpResponse } from '../http/message.ts'
import { type RequestInfo, verbLabel } from '../request/request-info.ts'

/** What the server counts of its requests. */
export interface RequestMetrics {
  began(changing: boolean): void
  ended(changing: boolean): void
  answered(asked: RequestInfo, request: HttpRequest, answer: HttpResponse, ms: number): void
  /** A stream is under way until the returned function is called. */
  streaming(asked: RequestInfo, request: HttpRequest): () => void
  deprecated(target: Target, removedRelease: string): void
}

const component = 'apiserver'

export function createRequestMetrics(
  metrics: Metrics,
  platform: Platform,
  clock: Clock,
): RequestMetrics {
  const total = metrics.counter('apiserver_request_total')
  const seconds = metrics.histogram('apiserver_request_duration_seconds')
  const sizes = metrics.histogram('apiserver_response_sizes')
  const long = metrics.gauge('apiserver_longrunning_requests')
  const deprecated = metrics.gauge('apiserver_requested_deprecated_apis')
  const inFlight = highWaterMarks(metrics)
  collectProcessMetrics(metrics, platform, clock)
  return {
    began: (changing) => inFlight.add(changing, 1),
    ended: (changing) => inFlight.add(changing, -1),
    answered(asked, request, { status, body }, ms) {
      const { verb, dryRun, group, version, resource, subresource, scope } = labelsOf(
        asked,
        request,
      )
      const common = [verb, dryRun, group, version, resource, subresource, scope, component]
      total.add([...common, String(status)])
      if (asked.verb === 'watch') return
      seconds.observe(common, ms / 1000)
      if (typeof body === 'function' || asked.target === undefined) return
      sizes.observe([component, group, resource, scope, subresource, verb, version], body.length)
    },
    streaming(asked, request) {
      const { verb, group, version, resource, subresource, scope } = labelsOf(asked, request)
      const labels = [component, group, resource, scope, subresource, verb, version]
      long.add(labels, 1)
      return () => long.add(labels, -1)
    },
    deprecated({ kind, subresource = '' }, removedRelease) {
      deprecated.set([kind.group, kind.version, kind.plural, subresource, removedRelease], 1)
    },
  }
}

interface Labels {
  readonly verb: string
  readonly dryRun: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly scope: string
}

function labelsOf(asked: RequestInfo, request: HttpRequest): Labels {
  const { target, query } = asked
  const verb = verbLabel(asked, request)
  const dryRun = query.has('dryRun') ? 'All' : ''
  if (target === undefined) {
    return { verb, dryRun, group: '', version: '', resource: '', subresource: '', scope: '' }
  }
  const { group, version, plural: resource } = target.kind
  const { subresource = '' } = target
  return { verb, dryRun, group, version, resource, subresource, scope: scopeOf(target) }
}

function scopeOf({ name, namespace }: Target): string {
  if (name !== undefined) return 'resource'
  return namespace === undefined ? 'cluster' : 'namespace'
}

interface HighWaterMarks {
  add(changing: boolean, by: number): void
}

/** The most requests at once since the last scrape, by whether they change anything. */
function highWaterMarks(metrics: Metrics): HighWaterMarks {
  const gauge = metrics.gauge('apiserver_current_inflight_requests')
  const kinds = ['readOnly', 'mutating'] as const
  const now = [0, 0]
  const high = [0, 0]
  metrics.onCollect(() => {
    for (const [at, kind] of kinds.entries()) {
      gauge.set([kind], high[at] ?? 0)
      high[at] = now[at] ?? 0
    }
  })
  return {
    add(changing, by) {
      const at = changing ? 1 : 0
      const count = (now[at] ?? 0) + by
      now[at] = count
      if (count > (high[at] ?? 0)) high[at] = count
    },
  }
}
