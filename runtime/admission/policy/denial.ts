import { StatusError, type StatusReason } from '../../kernel/errors/status-error.ts'
import type { Attributes } from '../chain/attributes.ts'
import { forbidden } from '../chain/errors.ts'

/** The denial of a request by a policy, or by one of its bindings. */
export interface PolicyDenial {
  readonly policy: string
  readonly binding?: string
  readonly text: string
  /** The reason that the validation names. */
  readonly reason?: string
}

const reasons: readonly StatusReason[] = [
  'Unauthorized',
  'Forbidden',
  'RequestEntityTooLarge',
  'Invalid',
]

/**
 * The error for a denial: the message of a Forbidden error, with the reason and code that the
 * policy chose, by default Invalid (supplement Q-12). A reason that is not one of the four counts
 * as Invalid.
 */
export function policyDenialError(
  attributes: Attributes,
  { policy, binding, text, reason }: PolicyDenial,
): StatusError {
  const name = `ValidatingAdmissionPolicy '${policy}'${binding ? ` with binding '${binding}'` : ''}`
  const cause = `${name} denied request: ${text}`
  const { message, details } = forbidden(attributes, cause, [{ message: cause }])
  const known = reasons.find((one) => one === reason) ?? 'Invalid'
  return new StatusError(known, message, { details: { ...details } })
}
