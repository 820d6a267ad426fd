import { StatusError, type StatusReason } from '../../kernel/errors/status-error.ts'
import type { Attributes } from '../chain/attributes.ts'
import { forbidden } from '../chain/errors.ts'

/** What a policy refuses a request with. */
export interface PolicyDenial {
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
export function policyDenialError(
  subject: Attributes,
  { policy, binding, text, reason }: PolicyDenial,
): StatusError {
  const who = `ValidatingAdmissionPolicy '${policy}'${binding ? ` with binding '${binding}'` : ''}`
  const message = `${who} denied request: ${text}`
  const { message: whole, details } = forbidden(subject, message, [{ message }])
  const known = reasons.find((one) => one === reason) ?? 'Invalid'
  return new StatusError(known, whole, { details: { ...details } })
}
