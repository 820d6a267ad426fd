import type { MetricStatus } from '../../../generated/apis/autoscaling/v2/metrics.ts'
import type { MetricOutcome } from './evaluate-metric.ts'

/** What all metrics of an autoscaler come to. */
export type MetricsProposal =
  | {
      readonly is: 'proposal'
      readonly replicas: number
      /** The metric that asks for most. */
      readonly name: string
      readonly metrics: readonly MetricStatus[]
    }
  | {
      readonly is: 'failed'
      readonly message: string
      readonly metrics: readonly MetricStatus[] | undefined
    }

/** Status, reason and message of a condition. */
type Told = readonly [status: 'True' | 'False', reason: string, message: string]

/** What is written of a metric that is not known. */
const unknown = { type: '' } as unknown as MetricStatus

/**
 * The most that a metric asks for. Metrics that are not known are passed over, unless none is, or the others would take pods away:
 * one that is not known might ask for them.
 */
export function decideMetrics(
  outcomes: readonly MetricOutcome[],
  current: number,
): MetricsProposal & { readonly condition: Told } {
  const failed = outcomes.filter((one) => one.is === 'failed')
  const proposed = outcomes.filter((one) => one.is === 'proposal')
  const metrics = outcomes.map((one) => (one.is === 'proposal' ? one.status : unknown))
  const highest = proposed.reduce<{ readonly replicas: number; readonly name: string }>(
    (most, one) => (most.replicas === 0 || one.replicas > most.replicas ? one : most),
    { replicas: 0, name: '' },
  )
  const [first] = failed
  if (first !== undefined && (proposed.length === 0 || highest.replicas < current)) {
    const count = `${failed.length} invalid out of ${outcomes.length}`
    const message = `invalid metrics (${count}), first error is: ${first.summary}${first.message}`
    const why = `the HPA was unable to compute the replica count: ${first.message}`
    return { is: 'failed', message, metrics, condition: ['False', first.reason, why] }
  }
  const { replicas, name } = highest
  const why = `the HPA was able to successfully calculate a replica count from ${name}`
  return { is: 'proposal', replicas, name, metrics, condition: ['True', 'ValidMetricFound', why] }
}
