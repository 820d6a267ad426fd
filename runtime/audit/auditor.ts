import type { Clock } from '../kernel/async/clock.ts'
import type { Platform } from '../kernel/descriptors/platform.ts'
import type { Log, Metrics } from '../observe/observe.ts'
import { type AuditEvent, type AuditFormat, eventLine, legacyLine } from './event.ts'
import { type LineSink, LogFile, type LogFileOptions } from './log-file.ts'
import { createLogWriter, type LogMode } from './log-writer.ts'
import {
  type AuditDecision,
  type AuditPolicy,
  type AuditRequest,
  policyEvaluator,
} from './policy.ts'

/** What is recorded, and where it goes. */
export interface AuditOptions {
  readonly policy: AuditPolicy
  /** A file, or what prints a line. */
  readonly output: LogFileOptions | ((line: string) => void)
  /** Default `blocking`. */
  readonly mode?: LogMode
  /** Default `json`. */
  readonly format?: AuditFormat
  /** Events that wait in mode `batch`. Default 10,000. */
  readonly bufferEvents?: number
  /** Bytes of an event beyond which its objects are left out and an annotation says so. Default: no bound. */
  readonly maxEventBytes?: number
}

/** Keeps the audit log of one server. */
export interface Auditor {
  /** What is recorded of a request; undefined for nothing. */
  readonly evaluate: (request: AuditRequest) => AuditDecision | undefined
  /** False if the event could not be recorded and the request must not go on: in mode `blocking-strict`, for its arrival. */
  record(event: AuditEvent): boolean
  /** Writes what waits, and closes the file. Nothing is recorded afterwards. */
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
 * Opens the audit log.
 *
 * @throws the error of node:fs if its file cannot be opened.
 */
export function createAuditor(options: AuditOptions, dependencies: AuditorDependencies): Auditor {
  const { policy, output, mode = 'blocking', format = 'json', maxEventBytes = 0 } = options
  const { platform, clock, log, metrics } = dependencies
  const events = metrics?.counter('apiserver_audit_event_total')
  const levels = metrics?.counter('apiserver_audit_level_total')
  const errors = metrics?.counter('apiserver_audit_error_total')
  const refused = metrics?.counter('apiserver_audit_requests_rejected_total')
  const apiVersion = `audit.${platform.api}/v1`
  const truncated = `audit.${platform.api}/truncated`
  const print = (event: AuditEvent): string =>
    format === 'legacy' ? legacyLine(event) : eventLine(event, apiVersion)
  const writer = createLogWriter(mode, {
    sink: typeof output === 'function' ? printingSink(output) : new LogFile(output, clock),
    log,
    bufferLines: options.bufferEvents ?? 10_000,
    onLost: () => errors?.add(['log']),
  })
  const evaluate = policyEvaluator(policy)
  return {
    evaluate(request) {
      const decision = evaluate(request)
      levels?.add([decision?.level ?? 'None'])
      return decision
    },
    record(event) {
      events?.add([])
      const line = print(event)
      const fits = maxEventBytes === 0 || Buffer.byteLength(line) <= maxEventBytes
      const kept = writer.add(fits ? line : print(withoutObjects(event, truncated)))
      if (kept || mode !== 'blocking-strict' || event.stage !== 'RequestReceived') return true
      refused?.add([])
      return false
    },
    stop: () => writer.stop(),
  }
}

/** The event without its objects, and the annotation that says so. */
function withoutObjects(
  { requestObject: _, responseObject: __, ...event }: AuditEvent,
  truncated: string,
): AuditEvent {
  return { ...event, annotations: { ...event.annotations, [truncated]: 'true' } }
}

/** Prints each line without its line end, which what prints adds itself. */
function printingSink(print: (line: string) => void): LineSink {
  const writeNow = (text: string): void => print(text.slice(0, -1))
  return {
    writeNow,
    write: async (text) => writeNow(text),
    close: async () => {},
  }
}
