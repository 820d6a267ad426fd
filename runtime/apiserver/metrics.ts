/** What an API server counts beside its requests: the objects that it keeps, the gates that it runs with. */
import { currentOf, type Gate } from '../kernel/features.ts'
import { type Gates, gatesOf } from '../kernel/gates.ts'
import { resourceName, storedKind } from '../kernel/kind.ts'
import type { Tree } from '../kernel/tree.ts'
import { createMetrics, type Log, type Metrics, type MetricsOptions } from '../observe/observe.ts'
import type { Registry } from '../registry/registry.ts'

/** What a command line says about metrics. */
export type MetricSelection = Pick<MetricsOptions, 'showHiddenFor' | 'disabled' | 'allowed'>

export interface Surroundings {
  readonly tree: Tree
  readonly log: Log
  readonly metrics?: MetricSelection
  readonly gates?: Gates
  readonly knownGates?: readonly Gate[]
}

/** The metrics of a server; undefined where its tree has none. */
export function metricsOf(around: Surroundings): Metrics | undefined {
  const { tree, log, knownGates = [], gates = gatesOf(tree) } = around
  const { metrics: table, platform } = tree
  if (table === undefined) return undefined
  const metrics = createMetrics(table, {
    ...around.metrics,
    release: platform.release,
    onDeprecated: (name, deprecated) => log.warn('metric is deprecated', { name, deprecated }),
  })
  countGates(metrics, `${platform.brand}_feature_enabled`, knownGates, gates)
  return metrics
}

/** A gate with a vendor in its name stands for many, of which those that are on are counted under their own names. */
function countGates(metrics: Metrics, name: string, table: readonly Gate[], gates: Gates): void {
  const enabled = metrics.gauge(name)
  for (const facts of table) {
    const { gate } = facts
    if (gate.includes('<')) continue
    const { stage } = currentOf(facts)
    enabled.set([gate, stage === 'GA' ? '' : stage.toUpperCase()], gates.has(gate) ? 1 : 0)
  }
}

/** Looks before each text is made; a resource that is gone has no series any more. */
export function countStored(metrics: Metrics, registry: Registry): void {
  const stored = metrics.gauge('apiserver_storage_objects')
  metrics.onCollect(() => {
    stored.clear()
    const listed = Object.values(registry.tree.routes).filter(({ verbs }) => verbs.includes('list'))
    for (const kind of new Set(listed.map(storedKind))) {
      stored.set([resourceName(kind)], registry.count(kind))
    }
  })
}
