import { resourceName } from '../kernel/kind.ts'
import { type StatusCause, StatusError } from '../kernel/status.ts'
import type { Subject } from './attempt.ts'

/** The request is understood and not allowed (supplement Q-03). */
export function forbidden(
  subject: Subject,
  why: string,
  causes?: readonly StatusCause[],
): StatusError {
  const { resource } = subject
  const name = nameOf(subject)
  return new StatusError('Forbidden', `${resourceName(resource)} "${name}" is forbidden: ${why}`, {
    details: {
      name,
      ...(resource.group && { group: resource.group }),
      kind: resource.plural,
      ...(causes && { causes }),
    },
  })
}

/** Something else than the request is wrong. */
export function internal(message: string, cause?: unknown): StatusError {
  return new StatusError('InternalError', `Internal error occurred: ${message}`, {
    details: { causes: [{ reason: 'UnexpectedServerResponse', message }] },
    cause,
  })
}

function nameOf({ name, object }: Subject): string {
  return name || object?.metadata.name || object?.metadata.generateName || 'Unknown'
}
