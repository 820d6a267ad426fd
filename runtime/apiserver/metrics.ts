/** What an API server counts beside its requests: the objects that it keeps, the gates that it runs with. */

import { type EnabledGates, enabledGatesOf } from '../kernel/descriptors/enabled-gates.ts'
import type { FeatureGate } from '../kernel/descriptors/feature-gate.ts'
import { resourceName, storedKind } from '../kernel/descriptors/kind.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import {
  createMetrics,
  type Log,
  type Metrics,
  type MetricsOptions,
  showGates,
} from '../observe/observe.ts'
import type { Registry } from '../registry/registry.ts'

/** What a command line says about metrics. */
export type MetricSelection = Pick<MetricsOptions, 'showHiddenFor' | 'disabled' | 'allowed'>

/** What the metrics of a server are made of. */
export interface ServerMetricsOptions {
  readonly scheme: Scheme
  readonly log: Log
  readonly metrics?: MetricSelection
  readonly gates?: EnabledGates
  readonly knownGates?: readonly FeatureGate[]
}

/**
 * The metrics of a server, with those of its feature gates; undefined where the scheme has none.
 * Hidden metrics of earlier releases are shown on demand only; using a deprecated one is logged.
 */
export function metricsOf(around: ServerMetricsOptions): Metrics | undefined {
  const { scheme, log, knownGates = [], gates = enabledGatesOf(scheme) } = around
  const { metrics: table, platform } = scheme
  if (table === undefined) return undefined
  const metrics = createMetrics(table, {
    ...around.metrics,
    release: platform.release,
    onDeprecated: (name, deprecated) => log.warn('metric is deprecated', { name, deprecated }),
  })
  showGates(metrics, platform, knownGates, gates)
  return metrics
}

/** Counts stored objects by resource whenever metrics are read; a resource that is gone has no series any more. */
export function countStored(metrics: Metrics, registry: Registry): void {
  const stored = metrics.gauge('apiserver_storage_objects')
  metrics.onCollect(() => {
    stored.clear()
    const listed = Object.values(registry.scheme.routes).filter(({ verbs }) =>
      verbs.includes('list'),
    )
    for (const kind of new Set(listed.map(storedKind))) {
      stored.set([resourceName(kind)], registry.count(kind))
    }
  })
}

/** Notes for how long the certificates of clients are still good, at each request. */
export function certificateUses(metrics: Metrics): (remainingMs: number) => void {
  const observe = metrics
    .histogram('apiserver_client_certificate_expiration_seconds')
    .withLabelValues([])
  return (remainingMs) => observe(remainingMs / 1000)
}
