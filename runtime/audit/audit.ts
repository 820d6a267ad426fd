/**
 * Audit: a record of who asked for what, and what became of it (supplement U-01 to U-05).
 *
 *  1. A policy decides how much of a request is recorded: its first rule that matches, and nothing where none does.
 *  2. An event is one line. What is recorded of bodies is the JSON that was sent or stored; at level Metadata no body is
 *     looked at.
 *  3. In mode `blocking` an event is in the log before the request goes on; in mode `batch` it waits in a buffer of bounded
 *     length, in events and in bytes, and what does not fit is lost and reported.
 *  4. A log that cannot be written is reported once, until it can be written again, and stops no request: only mode
 *     `blocking-strict` refuses what it cannot record the arrival of.
 *  5. After `stop` everything that was recorded is written.
 *
 * What is recorded comes from `server`, which knows requests; this module knows no HTTP and no kinds.
 */
export { type AuditOptions, type Auditor, createAuditor } from './auditor.ts'
export type { AuditEvent, AuditFormat, ObjectReference } from './event.ts'
export type { LogFileOptions } from './log-file.ts'
export type { LogMode } from './log-writer.ts'
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
