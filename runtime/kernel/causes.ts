/** Findings in the words that clients of the platform know. */
import { show } from './findings.ts'
import type { CauseReason, Finding } from './read.ts'

/** A required value is absent; `detail` says when it is required. */
export function required(path: string, detail?: string): Finding {
  return of('FieldValueRequired', path, withDetail('Required value', detail))
}

/** A value that is not acceptable, with the reason. */
export function invalid(path: string, value: unknown, detail: string): Finding {
  return of('FieldValueInvalid', path, `Invalid value: ${show(value ?? null)}: ${detail}`)
}

/** A value outside a closed set, which is told in the order it is given. */
export function unsupported(path: string, value: unknown, supported: readonly string[]): Finding {
  const values = supported.map(show).join(', ')
  const message = `Unsupported value: ${show(value ?? null)}: supported values: ${values}`
  return of('FieldValueNotSupported', path, message)
}

/** A field that may not be set, or not be changed, here. */
export function forbidden(path: string, detail: string): Finding {
  return of('FieldValueForbidden', path, `Forbidden: ${detail}`)
}

/** A value that stands twice where it may stand once. */
export function duplicate(path: string, value: unknown): Finding {
  return of('FieldValueDuplicate', path, `Duplicate value: ${show(value ?? null)}`)
}

/** A reference to something that is not there. */
export function notFound(path: string, value: unknown): Finding {
  return of('FieldValueNotFound', path, `Not found: ${show(value ?? null)}`)
}

/** A value of too many bytes. */
export function tooLong(path: string, most: number): Finding {
  return of('FieldValueTooLong', path, `Too long: must have at most ${most} bytes`)
}

/** One finding for each problem with a value. */
export function problems(path: string, value: unknown, details: readonly string[]): Finding[] {
  return details.map((detail) => invalid(path, value, detail))
}

function of(reason: CauseReason, path: string, message: string): Finding {
  return { path, reason, message }
}

function withDetail(text: string, detail: string | undefined): string {
  return detail === undefined ? text : `${text}: ${detail}`
}
