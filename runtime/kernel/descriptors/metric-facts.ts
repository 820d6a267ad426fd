/** The metrics of a process as generated from `schemas/metrics.yaml`. `runtime/observe` records and exposes them. */
export type MetricStability = 'ALPHA' | 'BETA' | 'STABLE'

/** The programs that serve metrics. A program with controllers serves those of the controller manager. */
export type Daemon = 'apiserver' | 'controller-manager' | 'scheduler' | 'agent'

/** The declaration of a metric. */
export interface MetricFacts {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly stability: MetricStability
  /** What a gauge is of a server of several processes: most or least of theirs. Default: their sum. */
  readonly acrossProcesses?: 'most' | 'least'
  /** The names of its labels, in the order in which values are given. */
  readonly labels: readonly string[]
  /** Upper bounds of a histogram's buckets, ascending, without the infinite one. */
  readonly buckets?: readonly number[]
  /** The programs that serve it. Default: the API server. */
  readonly daemons?: readonly Daemon[]
  /** The release that deprecated it: `1.27`. */
  readonly deprecated?: string
  readonly help: string
}

/** The programs that serve a metric. */
export function daemonsServing({ daemons = ['apiserver'] }: MetricFacts): readonly Daemon[] {
  return daemons
}

/** True for a metric that a program serves. */
export function isServedBy(facts: MetricFacts, daemon: Daemon): boolean {
  return daemonsServing(facts).includes(daemon)
}
