/**
 * Audit: a record of who asked for what, and what became of it (supplement U-01 to U-05).
 *
 *  1. A policy decides how much of a request is recorded: its first rule that matches, and nothing where none does.
 *  2. An event is one line. What is recorded of bodies is the JSON that was sent or stored; at level Metadata no body is
 *     looked at.
 *  3. Events go into a log, to a webhook, or both. In mode `blocking` an event is out before the request goes on; in mode `batch`
 *     it waits in a buffer of bounded length, in events and in bytes, and what does not fit is lost, counted and reported.
 *  4. A log that cannot be written is reported once, until it can be written again, and a webhook that takes nothing is asked
 *     again. Neither stops a request: only mode `blocking-strict` refuses what it cannot record the arrival of.
 *  5. After `stop` everything that was recorded is written, and sent as far as the webhook takes it.
 *
 * What is recorded comes from `server`, which knows requests; this module knows no HTTP and no kinds.
 */
export {
  type AuditOptions,
  type Auditor,
  type AuditorDependencies,
  createAuditor,
} from './auditor.ts'
export type { BatchOptions } from './batches.ts'
export type { AuditEvent, AuditFormat, ObjectReference } from './event.ts'
export type { LogFileOptions } from './log-file.ts'
export type { AuditLogOptions } from './log-output.ts'
export type { AuditMode } from './output.ts'
export {
  type AuditDecision,
  type AuditPolicy,
  type AuditRequest,
  type GroupResources,
  type Level,
  type PolicyEvaluator,
  type PolicyRule,
  policyEvaluator,
  type Stage,
} from './policy.ts'
export type { AuditWebhookOptions } from './webhook-output.ts'
