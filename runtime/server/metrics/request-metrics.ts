import type { Clock } from '../../kernel/async/clock.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { collectProcessMetrics, type Metrics } from '../../observe/observe.ts'
import type { Target } from '../../registry/registry.ts'
import type { HttpRequest } from '../http/request.ts'
import type { HttpResponse } from '../http/response.ts'
import { type RequestInfo, verbLabel } from '../request/request-info.ts'

/** Counts the requests of one server, under the public names of the metrics. */
export interface RequestMetrics {
  /** A request got its seats; `mutating` tells the two gauges of requests in flight apart. */
  began(mutating: boolean): void
  /** The response to it is decided. */
  ended(mutating: boolean): void
  /** A response is decided, `ms` milliseconds behind its request. */
  answered(info: RequestInfo, request: HttpRequest, response: HttpResponse, ms: number): void
  /** A body whose length was not known when the response was decided is made. */
  sent(info: RequestInfo, request: HttpRequest, bytes: number): void
  /** A watch is being served until the returned function is called. */
  streaming(info: RequestInfo, request: HttpRequest): () => void
  /** A deprecated API was requested; `removedRelease` is empty where it is not known. */
  deprecated(target: Target, removedRelease: string): void
}

const component = 'apiserver'

/** The metrics of requests, and those of the process, in `metrics`. */
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
  const observeSize = (info: RequestInfo, request: HttpRequest, bytes: number): void => {
    if (info.target === undefined) return
    const { verb, group, version, resource, subresource, scope } = labelsOf(info, request)
    sizes.observe([component, group, resource, scope, subresource, verb, version], bytes)
  }
  return {
    began: (mutating) => inFlight.add(mutating, 1),
    ended: (mutating) => inFlight.add(mutating, -1),
    answered(info, request, { status, body }, ms) {
      const { verb, dryRun, group, version, resource, subresource, scope } = labelsOf(info, request)
      const common = [verb, dryRun, group, version, resource, subresource, scope, component]
      total.add([...common, String(status)])
      if (info.verb === 'watch') return
      seconds.observe(common, ms / 1000)
      if (typeof body === 'function' || body.length === undefined) return
      observeSize(info, request, body.length)
    },
    sent: observeSize,
    streaming(info, request) {
      const { verb, group, version, resource, subresource, scope } = labelsOf(info, request)
      const labels = [component, group, resource, scope, subresource, verb, version]
      long.add(labels, 1)
      return () => long.add(labels, -1)
    },
    deprecated({ kind, subresource = '' }, removedRelease) {
      deprecated.set([kind.group, kind.version, kind.plural, subresource, removedRelease], 1)
    },
  }
}

/** The labels that most metrics of requests share. None takes its value from the request beyond what the scheme knows. */
interface Labels {
  readonly verb: string
  readonly dryRun: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly scope: string
}

function labelsOf(info: RequestInfo, request: HttpRequest): Labels {
  const { target, query } = info
  const verb = verbLabel(info, request)
  const dryRun = query.has('dryRun') ? 'All' : ''
  if (target === undefined) {
    return { verb, dryRun, group: '', version: '', resource: '', subresource: '', scope: '' }
  }
  const { group, version, plural: resource } = target.kind
  const { subresource = '' } = target
  return { verb, dryRun, group, version, resource, subresource, scope: scopeOf(target) }
}

/** What the public metrics call the scope of a request. */
function scopeOf({ name, namespace }: Target): string {
  if (name !== undefined) return 'resource'
  return namespace === undefined ? 'cluster' : 'namespace'
}

interface HighWaterMarks {
  /** Adds to the number of requests now. */
  add(mutating: boolean, by: number): void
}

/** The most requests at once since the last scrape, those that read and those that change something apart. */
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
    add(mutating, by) {
      const at = mutating ? 1 : 0
      const count = (now[at] ?? 0) + by
      now[at] = count
      if (count > (high[at] ?? 0)) high[at] = count
    },
  }
}
