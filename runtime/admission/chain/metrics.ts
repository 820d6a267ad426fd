import type { Metrics } from '../../observe/observe.ts'
import type { Operation } from './attributes.ts'

/** The step of a plugin or webhook: those that may change an object admit it, the others validate it. */
export type Step = 'admit' | 'validate'

/** Observes a duration in milliseconds, and whether the request was rejected. */
export type ObserveDuration = (ms: number, rejected: boolean) => void

/**
 * The metrics of admission. Series of plugins and steps are looked up once and then observed; those
 * of webhooks come and go with their configurations and are looked up at each call. Durations are
 * given in milliseconds and observed in seconds.
 */
export interface AdmissionMetrics {
  plugin(name: string, step: Step, operation: Operation): ObserveDuration
  step(step: Step, operation: Operation): ObserveDuration
  webhook(name: string, step: Step, operation: Operation): ObserveDuration
  /** Counts a call of a webhook that failed and whose failure policy is Ignore. */
  failOpen(name: string, step: Step): void
}

const prefix = 'apiserver_admission_'

/** The label `type` of webhook metrics, which differs from that of plugins. */
const webhookTypes: Readonly<Record<Step, string>> = { admit: 'admit', validate: 'validating' }

/** The metrics of admission in a server's registry of metrics, under the names that dashboards know. */
export function admissionMetrics(metrics: Metrics): AdmissionMetrics {
  const plugins = metrics.histogram(`${prefix}controller_admission_duration_seconds`)
  const steps = metrics.histogram(`${prefix}step_admission_duration_seconds`)
  const webhooks = metrics.histogram(`${prefix}webhook_admission_duration_seconds`)
  const failOpen = metrics.counter(`${prefix}webhook_fail_open_count`)
  return {
    plugin: (name, step, operation) =>
      observerOf((rejected) => plugins.withLabelValues([name, operation, rejected, step])),
    step: (step, operation) =>
      observerOf((rejected) => steps.withLabelValues([operation, rejected, step])),
    webhook: (name, step, operation) => (ms, rejected) =>
      webhooks.observe([name, operation, String(rejected), webhookTypes[step]], ms / 1000),
    failOpen: (name, step) => failOpen.add([name, webhookTypes[step]]),
  }
}

/** Looks up both series of a label set once: every write of a server observes several of them. */
function observerOf(series: (rejected: string) => (seconds: number) => void): ObserveDuration {
  const [allowed, rejections] = [series('false'), series('true')]
  return (ms, rejected) => (rejected ? rejections : allowed)(ms / 1000)
}
