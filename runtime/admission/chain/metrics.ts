import type { Metrics } from '../../observe/observe.ts'
import type { Operation } from './attributes.ts'

/** Plugins and webhooks that may change an object admit it; those that only look validate it. */
export type Step = 'admit' | 'validate'

/** Hears how long something took, and whether it refused the request. */
export type ObserveDuration = (ms: number, rejected: boolean) => void

/** What admission counts. */
export interface AdmissionMetrics {
  plugin(name: string, step: Step, operation: Operation): ObserveDuration
  step(step: Step, operation: Operation): ObserveDuration
  webhook(name: string, step: Step, operation: Operation): ObserveDuration
  /** A webhook failed, and its policy is to pass over that. */
  failOpen(name: string, step: Step): void
}

const prefix = 'apiserver_admission_'

/** Webhooks that look are of another type than plugins that do. */
const webhookTypes: Readonly<Record<Step, string>> = { admit: 'admit', validate: 'validating' }

export function admissionMetrics(metrics: Metrics): AdmissionMetrics {
  const plugins = metrics.histogram(`${prefix}controller_admission_duration_seconds`)
  const steps = metrics.histogram(`${prefix}step_admission_duration_seconds`)
  const webhooks = metrics.histogram(`${prefix}webhook_admission_duration_seconds`)
  const open = metrics.counter(`${prefix}webhook_fail_open_count`)
  return {
    plugin: (name, step, operation) =>
      timed((rejected) => plugins.withLabelValues([name, operation, rejected, step])),
    step: (step, operation) =>
      timed((rejected) => steps.withLabelValues([operation, rejected, step])),
    webhook: (name, step, operation) => (ms, rejected) =>
      webhooks.observe([name, operation, String(rejected), webhookTypes[step]], ms / 1000),
    failOpen: (name, step) => open.add([name, webhookTypes[step]]),
  }
}

/** The two series of one label set, found once: every write of a server passes here several times. */
function timed(of: (rejected: string) => (seconds: number) => void): ObserveDuration {
  const passed = of('false')
  const refused = of('true')
  return (ms, rejected) => (rejected ? refused : passed)(ms / 1000)
}
