/** The errors that plugins reject requests with. */
import { type AnyKind, resourceName } from '../../kernel/descriptors/kind.ts'
import { type StatusCause, StatusError } from '../../kernel/errors/status-error.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { Attributes } from './attributes.ts'

/**
 * The Forbidden error of a request that a plugin rejects (supplement Q-03). `details.kind` is the
 * plural of the resource and not its kind, as clients of release 1.29 expect of this error.
 */
export function forbidden(
  attributes: Attributes,
  reason: string,
  causes?: readonly StatusCause[],
): StatusError {
  const { resource } = attributes
  const name = nameIn(attributes)
  const message = `${resourceName(resource)} "${name}" is forbidden: ${reason}`
  return new StatusError('Forbidden', message, {
    details: {
      name,
      ...(resource.group && { group: resource.group }),
      kind: resource.plural,
      ...(causes && { causes }),
    },
  })
}

/** The NotFound error for an object that a request depends on. */
export function notFound(kind: AnyKind, name: string): StatusError {
  const { group, plural } = kind
  return new StatusError('NotFound', `${resourceName(kind)} "${name}" not found`, {
    details: { name, ...(group && { group }), kind: plural },
  })
}

/** The NotFound error of a plugin that looks into a cache: it names what is looked for in the singular, as public servers do. */
export function notCached(kind: AnyKind, name: string): StatusError {
  return notFound({ ...kind, plural: kind.singular }, name)
}

/**
 * The Invalid error for field errors of the object. Unlike Forbidden it names the kind with its
 * group, and each field error is a cause.
 */
export function invalid(
  { resource, object }: Attributes,
  errors: readonly FieldError[],
): StatusError {
  const name = object?.metadata.name ?? ''
  const { group, kind } = resource
  const groupKind = group === '' ? kind : `${kind}.${group}`
  const message = `${groupKind} "${name}" is invalid: ${printFieldErrors(errors)}`
  return new StatusError('Invalid', message, {
    details: {
      ...(name && { name }),
      ...(group && { group }),
      kind,
      causes: errors.map(({ path, reason, message: text }) => ({
        reason,
        message: text,
        field: path,
      })),
    },
  })
}

/**
 * Prints field errors as one text: `path: message`, several of them in brackets. Without errors it
 * is `[]`; callers ask only where there are some.
 */
export function printFieldErrors(errors: readonly FieldError[]): string {
  const texts = errors.map(({ path, message }) => `${path}: ${message}`)
  return texts.length === 1 ? String(texts[0]) : `[${texts.join(', ')}]`
}

/** The InternalError for a failure that is not the request's fault. */
export function internalError(message: string, cause?: unknown): StatusError {
  return new StatusError('InternalError', `Internal error occurred: ${message}`, {
    details: { causes: [{ message }] },
    cause,
  })
}

/** The name for messages: a generated one is not known yet, so that its prefix stands for it. */
function nameIn({ name, object }: Attributes): string {
  return name || object?.metadata.name || object?.metadata.generateName || 'Unknown'
}
