import type { MetricFacts } from '../kernel/descriptors/metric-facts.ts'
import { createMetrics, type Metrics } from '../observe/observe.ts'

/** The declaration of a metric of one's own. No label may be the name of an object: there is no bound to those. */
export type OwnMetric = Omit<MetricFacts, 'daemons' | 'stability' | 'deprecated'>

/**
 * The metrics of an operator: those that controllers, queues, clients and leases count, and its own.
 *
 * @throws Error for one's own metric with the name of another.
 * @example
 * const metrics = await operatorMetrics([
 *   { name: 'sites_published_total', type: 'counter', labels: ['result'], help: 'Sites that were published.' },
 * ])
 * const published = metrics.counter('sites_published_total')
 */
export async function operatorMetrics(own: readonly OwnMetric[] = []): Promise<Metrics> {
  const [{ metrics: table }, { platform }] = await Promise.all([
    import('../../generated/metrics.ts'),
    import('../../generated/platform.ts'),
  ])
  const served = own.map(
    (facts): MetricFacts => ({ ...facts, stability: 'ALPHA', daemons: ['controller-manager'] }),
  )
  const names = new Set(table.map(({ name }) => name))
  for (const { name } of own) {
    if (names.has(name)) throw new Error(`metric ${name}: the name is taken`)
    names.add(name)
  }
  const daemon = 'controller-manager'
  return createMetrics([...table, ...served], { release: platform.release, daemon })
}
