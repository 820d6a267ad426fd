import { type Awaitable, chainAwaitable } from '../kernel/async/awaitable.ts'
import type { Clock } from '../kernel/async/clock.ts'
import type { Platform } from '../kernel/descriptors/platform.ts'
import type { Log, Metrics } from '../observe/observe.ts'
import type { AuditEvent } from './event.ts'
import { type AuditLogOptions, openLogOutput } from './log-output.ts'
import type { AuditMode, AuditOutput } from './output.ts'
import {
  type AuditDecision,
  type AuditPolicy,
  type AuditRequest,
  policyEvaluator,
} from './policy.ts'
import { type AuditWebhookOptions, openWebhookOutput } from './webhook-output.ts'

/** What is recorded, and where it goes: to each output that there is. */
export interface AuditOptions {
  readonly policy: AuditPolicy
  readonly log?: AuditLogOptions
  readonly webhook?: AuditWebhookOptions
}

/** Keeps the audit records of one server. */
export interface Auditor {
  /** What is recorded of a request; undefined for nothing. */
  readonly evaluate: (request: AuditRequest) => AuditDecision | undefined
  /**
   * Records an event; in the blocking modes it is out when this settles. False if the event could not be recorded and the request
   * must not go on: in mode `blocking-strict`, for its arrival.
   */
  record(event: AuditEvent): Awaitable<boolean>
  /** Sends what waits, and closes the outputs. Nothing is recorded afterwards. */
  stop(): Promise<void>
}

/** What an auditor tells the time, reports and counts by. */
export interface AuditorDependencies {
  readonly platform: Platform
  readonly clock: Clock
  readonly log: Log
  readonly metrics?: Metrics
}

/**
 * Opens the outputs of the audit.
 *
 * @throws the error of node:fs if the file of the log cannot be opened.
 */
export function createAuditor(options: AuditOptions, dependencies: AuditorDependencies): Auditor {
  const { metrics } = dependencies
  const events = metrics?.counter('apiserver_audit_event_total')
  const levels = metrics?.counter('apiserver_audit_level_total')
  const refused = metrics?.counter('apiserver_audit_requests_rejected_total')
  const outputs = openOutputs(options, dependencies)
  const evaluate = policyEvaluator(options.policy)
  return {
    evaluate(request) {
      const decision = evaluate(request)
      levels?.add([decision?.level ?? 'None'])
      return decision
    },
    record(event) {
      events?.add([])
      return chainAwaitable(recordInAll(outputs, event), (kept) => {
        if (kept || event.stage !== 'RequestReceived') return true
        refused?.add([])
        return false
      })
    },
    async stop() {
      await Promise.all(outputs.map((output) => output.stop()))
    },
  }
}

/** False if an output that must have the event does not: nothing is asked of the others. */
function recordInAll(outputs: readonly AuditOutput[], event: AuditEvent): Awaitable<boolean> {
  let kept: Awaitable<boolean> = true
  for (const output of outputs) {
    const here = output.record(event)
    const before: Awaitable<boolean> = kept
    kept = chainAwaitable(here, (one) => chainAwaitable(before, (all) => all && one))
  }
  return kept
}

function openOutputs(
  { log: logOptions, webhook }: AuditOptions,
  { platform, clock, log, metrics }: AuditorDependencies,
): readonly AuditOutput[] {
  const errors = metrics?.counter('apiserver_audit_error_total')
  const context = {
    apiVersion: `audit.${platform.api}/v1`,
    clock,
    log,
    lost: (plugin: string, count: number) => errors?.add([plugin], count),
    truncated: `audit.${platform.api}/truncated`,
  }
  return [
    logOptions && lenient(openLogOutput(logOptions, context), logOptions.mode),
    webhook && lenient(openWebhookOutput(webhook, context), webhook.mode),
  ].filter((output) => output !== undefined)
}

/** The output; what it loses matters to requests in mode `blocking-strict` only. */
function lenient(output: AuditOutput, mode: AuditMode | undefined): AuditOutput {
  if (mode === 'blocking-strict') return output
  return {
    ...output,
    record: (event) => chainAwaitable(output.record(event), () => true),
  }
}
