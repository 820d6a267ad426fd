import { type StatusDetails, StatusError } from '../../kernel/errors/status-error.ts'
import type { AuthorizationAttributes } from './authorizer.ts'

/** The 401 of a request whose user is not known. Why is for the log alone. */
export function unauthorizedError(): StatusError {
  return new StatusError('Unauthorized', 'Unauthorized')
}

/** The refusal of a request before its resource has seen it: only its sender chose what the message quotes. */
export class AccessError extends StatusError {
  constructor(message: string, details?: StatusDetails) {
    super('Forbidden', message, details === undefined ? {} : { details })
  }
}

/** The 403 of a request that its user may not make, in the reference's words, with the authorizer's reason behind them. */
export function forbiddenError(attributes: AuthorizationAttributes, reason = ''): AccessError {
  const { group, resource, name, path } = attributes
  const refusal = forbiddenMessage(attributes) + (reason === '' ? '' : `: ${reason}`)
  if (path !== undefined) {
    return new AccessError(`forbidden: ${refusal}`, {})
  }
  const qualified = group === '' ? resource : `${resource}.${group}`
  const subject = name === '' ? qualified : `${qualified} "${name}"`
  return new AccessError(`${subject} is forbidden: ${refusal}`, {
    ...(name !== '' && { name }),
    ...(group !== '' && { group }),
    kind: resource,
  })
}

function forbiddenMessage(attributes: AuthorizationAttributes): string {
  const { user, verb, group, resource, subresource, namespace, path } = attributes
  const subject = `User ${quoted(user.username)} cannot ${verb}`
  if (path !== undefined) return `${subject} path ${quoted(path)}`
  const target = quoted(subresource ? `${resource}/${subresource}` : resource)
  const scope = namespace ? `in the namespace ${quoted(namespace)}` : 'at the cluster scope'
  return `${subject} resource ${target} in API group ${quoted(group)} ${scope}`
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** The text as a quoted string that is harmless in a page of HTML. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(/[&<>]/g, (one) => escapes[one] as string)
}
