/** Metrics against the facts: what is promised to be there, in which form. */
import type { Api } from '../../codegen/schema/ir.ts'
import { isServedBy, type MetricFacts } from '../../runtime/kernel/descriptors/metric-facts.ts'
import type { Facts, MetricFact } from './facts-file.ts'

/**
 * Every metric that the facts name is there as they say, and no other one is stable: stability is a promise that the facts
 * have to ask for.
 */
export function metricDifferences(api: Api, { metrics = [] }: Facts): readonly string[] {
  const known = new Map(api.metrics.map((metric) => [metric.name, metric]))
  const named = new Set(metrics.map(({ name }) => name))
  const extra = api.metrics.filter(({ name, stability }) => {
    return metrics.length > 0 && stability === 'STABLE' && !named.has(name)
  })
  return [
    ...metrics.flatMap((fact) => differencesOf(fact, known)),
    ...extra.map(({ name }) => `${name}: extra stable metric`),
  ]
}

/** One metric, or a family of them if the name ends in a star. */
function differencesOf(
  fact: MetricFact,
  known: ReadonlyMap<string, MetricFacts>,
): readonly string[] {
  const { name, type, stability, labels, daemon } = fact
  if (name.endsWith('*')) return familyDifferences(fact, [...known.values()])
  const metric = known.get(name)
  if (metric === undefined) return [`${name}: there is no such metric`]
  const differ = (what: string, is: string, wanted: string | undefined): readonly string[] =>
    wanted === undefined || is === wanted ? [] : [`${name}: ${what} is ${is}, should be ${wanted}`]
  return [
    ...differ('type', metric.type, type),
    ...differ('stability', metric.stability, stability),
    ...differ('labels', sorted(metric.labels), labels && sorted(labels)),
    ...(daemon === undefined || isServed(metric, daemon) ? [] : [notServed(name, daemon)]),
  ]
}

/** A family has a member, and one that the daemon serves. */
function familyDifferences(
  { name, daemon }: MetricFact,
  all: readonly MetricFacts[],
): readonly string[] {
  const family = all.filter((metric) => metric.name.startsWith(name.slice(0, -1)))
  if (family.length === 0) return [`${name}: there is no metric of this family`]
  if (daemon === undefined || family.some((metric) => isServed(metric, daemon))) return []
  return [notServed(name, daemon)]
}

/** The facts name daemons that the schemas may not know. */
function isServed(metric: MetricFacts, daemon: string): boolean {
  return isServedBy(metric, daemon as Parameters<typeof isServedBy>[1])
}

/** The difference of a metric that is there, but not where it should be. */
function notServed(name: string, daemon: string): string {
  return `${name}: is not served by the daemon ${daemon}`
}

/** The order of labels means nothing. */
function sorted(labels: readonly string[]): string {
  return JSON.stringify([...labels].sort())
}
