import type { Clock } from '../../kernel/async/clock.ts'
import type { Metrics } from '../../observe/observe.ts'

/** Counts how it went to find out something about a request, and how long it took. */
export type OutcomeMetrics<Outcome extends string> = (outcome: Outcome, began: number) => void

/** The metrics of a counter and a histogram whose one label is the outcome. `began` is by the monotonic clock. */
export function outcomeMetrics<Outcome extends string>(
  metrics: Metrics,
  clock: Clock,
  outcomes: readonly Outcome[],
  names: { readonly attempts: string; readonly duration: string },
): OutcomeMetrics<Outcome> {
  const attempts = metrics.counter(names.attempts)
  const duration = metrics.histogram(names.duration)
  const series = new Map(
    outcomes.map((outcome) => {
      const labels = [outcome]
      return [outcome, { labels, observe: duration.withLabelValues(labels) }]
    }),
  )
  return (outcome, began) => {
    const one = series.get(outcome)
    if (one === undefined) return
    attempts.add(one.labels)
    one.observe((clock.monotonic() - began) / 1000)
  }
}

/** Names that are counted as they are; all others as what they look like. */
const shownNames = ['admin', 'client', 'kube_proxy', 'kubelet']

/** Counts requests by the kind of their user's name: names themselves are many, and not for all to see. */
export function userCounter(metrics: Metrics, prefix: string): (username: string) => void {
  const requests = metrics.counter('authenticated_user_requests')
  const shown = [...shownNames, `system:serviceaccount:${prefix}-system:default`]
  const labels = new Map(shown.map((name) => [name, [name]]))
  const [email, other] = [['email_id'], ['other']]
  return (username) => {
    requests.add(labels.get(username) ?? (username.includes('@') ? email : other))
  }
}
