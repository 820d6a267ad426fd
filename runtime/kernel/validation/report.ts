/** How readers fill a report. A report is bounded: after 1000 entries of each sort, further ones are dropped. */
import { numberText } from '../values/number-text.ts'
import { quoted } from '../values/quoted.ts'
import type { FieldError, ReadReport } from './field-error.ts'

const maxErrors = 1000

/** Reports a field that is not in the schema. */
export function unknownField(report: ReadReport, name: string): void {
  if (report.unknownFields.length < maxErrors) report.unknownFields.push(name)
}

/** Reports a required field that is absent; the detail says when it is required. */
export function required(report: ReadReport, name: string, detail = ''): void {
  const message = detail === '' ? 'Required value' : `Required value: ${detail}`
  addError(report, { path: name, reason: 'FieldValueRequired', message })
}

/** Reports a validation error. */
export function addError(report: ReadReport, found: FieldError): void {
  if (report.errors.length < maxErrors) report.errors.push(found)
}

/** Drops the errors after the first `known` of a report: those of reading `value`, which it gives. Types stay reported. */
export function unvalidated<T>(report: ReadReport, known: number, value: T): T {
  report.errors.length = Math.min(report.errors.length, known)
  return value
}

/** Tells the errors after the first `known` of a report at `path`: those of reading `value`, which it gives. */
export function toldAt<T>(report: ReadReport, known: number, value: T, path: string): T {
  const { errors } = report
  for (let at = known; at < errors.length; at++) errors[at] = { ...errors[at]!, path }
  return value
}

/** Reports a value of the wrong JSON type. `got` describes it if its type alone does not. */
export function wrongType(
  value: unknown,
  report: ReadReport,
  name: string,
  want: string,
  got: string = typeName(value),
): undefined {
  if (report.typeErrors.length >= maxErrors) return
  report.typeErrors.push({
    path: name,
    reason: 'FieldValueTypeInvalid',
    message: typeText(got, name, want),
  })
}

function typeText(got: string, path: string, want: string): string {
  const where = path === '' ? 'a value' : `field ${path}`
  return `json: cannot unmarshal ${got} into ${where} of type ${want}`
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (value === null) return 'null'
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value
}

/** How many characters of a value a message shows. */
const shownLength = 1024

/** A value as messages show it: JSON, cut after 1024 characters. */
export function formatValue(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return numberText(value)
  if (typeof value === 'string') return quoted(cut(value))
  const text = JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? String(part) : part,
  )
  return cut(text ?? 'null')
}

function cut(text: string): string {
  return text.length > shownLength ? `${text.slice(0, shownLength)}...` : text
}

/**
 * Puts `name` before the paths of all entries after the first `t` type errors, `f` errors and `u` unknown fields: those that
 * a part of a value reported.
 */
export function prefixPaths(
  report: ReadReport,
  t: number,
  f: number,
  u: number,
  name: string,
): void {
  const { typeErrors: types, errors: findings, unknownFields: unknown } = report
  for (let index = t; index < types.length; index++) {
    types[index] = withPathInTypeMessage(types[index]!, joinPath(name, types[index]!.path))
  }
  for (let index = f; index < findings.length; index++) {
    findings[index] = { ...findings[index]!, path: joinPath(name, findings[index]!.path) }
  }
  for (let index = u; index < unknown.length; index++)
    unknown[index] = joinPath(name, unknown[index]!)
}

function withPathInTypeMessage(found: FieldError, path: string): FieldError {
  const head = typeText('', found.path, '').slice('json: cannot unmarshal '.length)
  const at = found.message.lastIndexOf(head)
  const want = found.message.slice(at + head.length)
  const got = found.message.slice('json: cannot unmarshal '.length, at)
  return { ...found, path, message: typeText(got, path, want) }
}

/** `a` and `b` give `a.b`; `a` and `[0]` give `a[0]`. */
export function joinPath(parent: string, child: string): string {
  if (child === '' || parent === '') return parent + child
  return child.startsWith('[') ? parent + child : `${parent}.${child}`
}
