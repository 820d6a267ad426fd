import { type AnyKind, resourceName } from '../../kernel/descriptors/kind.ts'
import { type StatusCause, StatusError } from '../../kernel/errors/status-error.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { Attributes } from './attributes.ts'

/** The request is understood and not allowed (supplement Q-03). */
export function forbidden(
  subject: Attributes,
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

/** What a request needs is not there. */
export function notFound(kind: AnyKind, name: string): StatusError {
  const { group, plural } = kind
  return new StatusError('NotFound', `${resourceName(kind)} "${name}" not found`, {
    details: { name, ...(group && { group }), kind: plural },
  })
}

/** The object is not as it has to be. */
export function invalid(
  { resource, object }: Attributes,
  findings: readonly FieldError[],
): StatusError {
  const texts = findings.map(({ path, message }) => `${path}: ${message}`)
  const name = object?.metadata.name ?? ''
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  const { group, kind } = resource
  const subject = group === '' ? kind : `${kind}.${group}`
  return new StatusError('Invalid', `${subject} "${name}" is invalid: ${list}`, {
    details: {
      ...(name && { name }),
      ...(group && { group }),
      kind,
      causes: findings.map(({ path, reason, message }) => ({ reason, message, field: path })),
    },
  })
}

/** Something else than the request is wrong. */
export function internalError(message: string, cause?: unknown): StatusError {
  return new StatusError('InternalError', `Internal error occurred: ${message}`, {
    details: { causes: [{ reason: 'UnexpectedServerResponse', message }] },
    cause,
  })
}

function nameOf({ name, object }: Attributes): string {
  return name || object?.metadata.name || object?.metadata.generateName || 'Unknown'
}
