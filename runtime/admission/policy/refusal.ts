import { StatusError, type StatusReason } from '../../kernel/status.ts'
import type { Subject } from '../attempt.ts'
import { forbidden } from '../refusal.ts'

/** What a policy refuses a request with. */
export interface Refused {
  readonly policy: string
  readonly binding?: string
  readonly text: string
  readonly reason?: string
}

const reasons: readonly StatusReason[] = [
  'Unauthorized',
  'Forbidden',
  'RequestEntityTooLarge',
  'Invalid',
]

/** How a refusal reads: as one by a plugin, with the reason and code that the policy chose (supplement Q-12). */
export function refusal(subject: Subject, { policy, binding, text, reason }: Refused): StatusError {
  const who = `ValidatingAdmissionPolicy '${policy}'${binding ? ` with binding '${binding}'` : ''}`
  const message = `${who} denied request: ${text}`
  const { message: whole, details } = forbidden(subject, message, [{ message }])
  const known = reasons.find((one) => one === reason) ?? 'Invalid'
  return new StatusError(known, whole, { details: { ...details } })
}
