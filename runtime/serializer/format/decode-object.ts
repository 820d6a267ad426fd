import type { AnyKind, Kind } from '../../kernel/descriptors/kind.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { type ApiObject, apiVersionOf } from '../../kernel/meta/object.ts'
import { createReport, type ReadReport } from '../../kernel/validation/field-error.ts'
import { isObject, type Json } from '../../kernel/values/json.ts'

/** An object as its kind's reader built it: pruned, with defaults, in declaration order. `report` says what is wrong. */
export interface ReadResult<T extends ApiObject = ApiObject> {
  readonly object: T
  readonly report: ReadReport
}

/**
 * Reads a decoded value as an object of `kind`. A missing `kind` or `apiVersion` is filled in. What the reader finds in the
 * fields is reported, not thrown.
 *
 * @throws StatusError BadRequest for a value that is no object, or one of another kind or version
 */
export function readObject<T extends ApiObject>(
  kind: Kind<T>,
  value: Json,
  asSent = false,
  keepsNulls = false,
): ReadResult<T> {
  if (!isObject(value)) throw unrecognized(kind, value)
  const apiVersion = apiVersionOf(kind)
  checkType(kind, value.kind || kind.kind, value.apiVersion || apiVersion)
  const report = createReport(asSent, keepsNulls)
  const object = kind.read({ ...value, kind: kind.kind, apiVersion }, report)
  return { object, report }
}

/** A body may leave its type out; one that it states must be the type of the path. */
function checkType(kind: AnyKind, givenKind: unknown, givenVersion: unknown): void {
  const apiVersion = apiVersionOf(kind)
  if (typeof givenKind !== 'string' || typeof givenVersion !== 'string') {
    throw new StatusError('BadRequest', 'kind and apiVersion of the object must be strings')
  }
  if (givenKind !== kind.kind) {
    const version = givenVersion.slice(givenVersion.indexOf('/') + 1)
    throw new StatusError(
      'BadRequest',
      `${givenKind} in version "${version}" cannot be handled as a ${kind.kind}: ` +
        `the path serves ${kind.kind} of ${apiVersion}`,
    )
  }
  if (givenVersion !== apiVersion) {
    throw new StatusError(
      'BadRequest',
      `the API version in the data (${givenVersion}) does not match the expected API version (${apiVersion})`,
    )
  }
}

/** BadRequest with the first 100 characters of the value. */
function unrecognized(kind: AnyKind, value: Json): StatusError {
  const start = String(typeof value === 'object' ? JSON.stringify(value, bigints) : value)
  return new StatusError(
    'BadRequest',
    `the object provided is unrecognized (must be of type ${kind.kind}): ` +
      `expected an object, found ${start.slice(0, 100)}`,
  )
}

/** JSON.stringify cannot print bigints. */
function bigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
