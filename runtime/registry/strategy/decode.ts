import type { Kind } from '../../kernel/descriptors/kind.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { Json } from '../../kernel/values/json.ts'
import {
  firstProblems,
  type Numeral,
  type ReadResult,
  readObject,
  type StrictProblems,
  unknownFieldText,
} from '../../serializer/serializer.ts'
import type { Body, FieldValidation, Target } from '../contract/contract.ts'
import type { ManagedFields } from './managed-fields.ts'

/** A decoded object on its way to the store, its field errors, and the warnings for its sender. */
export interface Draft {
  readonly object: ApiObject
  /** What its reader refused. A reader fills absent fields, so reading again finds fewer errors. */
  readonly fieldErrors: readonly FieldError[]
  readonly warnings: readonly string[]
  /** Its managed fields, where an apply has settled them. */
  readonly managed?: ManagedFields
  /** Work on it yields to other requests in between. */
  readonly large?: boolean
  /** The object is the stored one: nothing is to be written. */
  readonly unchanged?: boolean
}

/** Reads a body as the target's kind. @throws StatusError BadRequest if it does not fit, or as field validation demands. */
export function decodeBody(
  { kind }: Pick<Target, 'kind'>,
  body: Body,
  validation: FieldValidation,
): Draft {
  const { value, duplicates, strict = problemsWith(duplicates), large = false } = body
  const read = readTyped(kind, value)
  if (body.numerals !== undefined) checkIntegers(kind, body, read.object)
  return { ...checkFields(kind, read, strict, validation), large }
}

/** In JSON no integer has a fraction or an exponent: `1.0` is none. @throws StatusError BadRequest for the first that has. */
function checkIntegers(kind: Kind, { value, numerals = [] }: Body, object: ApiObject): void {
  if (kind.proto === undefined) return
  for (const { path, text } of numerals) {
    // The bounds in a definition's schema are the only typed numbers that may have fractions.
    if (/^-?[0-9]+$/.test(text) || path.includes('openAPIV3Schema')) continue
    if (!isTypedNumber(path, value, object)) continue
    const where = path.filter((step) => typeof step === 'string').join('.')
    throw unhandled(
      kind,
      `json: cannot unmarshal number ${text} into field ${where} of type integer`,
    )
  }
}

/** True if a reader made a number of what stands there. What it took over as it was has no type. */
function isTypedNumber(path: Numeral['path'], value: Json, object: ApiObject): boolean {
  let [given, read]: [unknown, unknown] = [value, object]
  for (const step of path) {
    if (typeof read !== 'object' || read === null || read === given) return false
    if (!Object.hasOwn(read, step)) return false
    given = (given as Readonly<Record<string | number, unknown>>)[step]
    read = (read as Readonly<Record<string | number, unknown>>)[step]
  }
  return typeof read === 'number'
}

/** Reads a value as an object of the kind. @throws StatusError BadRequest if anything in it is of the wrong type. */
export function readTyped(kind: Kind, value: Json): ReadResult {
  const result = readObject(kind, value, true)
  const { typeErrors: types } = result.report
  if (types.length === 0) return result
  throw unhandled(kind, types.map(({ message }) => message).join(', '))
}

/** Warns of unknown and duplicate fields. @throws StatusError BadRequest for them under strict field validation. */
export function checkFields(
  kind: Kind,
  { object, report }: ReadResult,
  problems: StrictProblems,
  validation: FieldValidation,
): Draft {
  const texts = validation === 'Ignore' ? [] : problems.warnings(report.unknownFields)
  if (validation === 'Strict' && texts.length > 0) {
    throw unhandled(kind, `strict decoding error: ${problems.error(report.unknownFields)}`)
  }
  return { object, fieldErrors: report.errors, warnings: texts }
}

/** Unknown fields, and behind them what else is told. */
export function problemsWith(duplicates: readonly string[]): StrictProblems {
  const warnings = (unknown: readonly string[]) =>
    firstProblems([...unknown.map(unknownFieldText), ...duplicates])
  return { warnings, error: (unknown) => warnings(unknown).join(', ') }
}

/** BadRequest for a body that is not an object of the kind. */
export function unhandled(kind: Kind, why: string): StatusError {
  return new StatusError(
    'BadRequest',
    `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${why}`,
  )
}

/** The object in the namespace of the path. @throws StatusError BadRequest if it names another one. */
export function withRequestNamespace({ kind, namespace }: Target, object: ApiObject): ApiObject {
  const { namespace: given, ...metadata } = object.metadata
  if (kind.scope === 'Cluster') return { ...object, metadata }
  if (given && given !== namespace) {
    throw new StatusError(
      'BadRequest',
      'the namespace of the provided object does not match the namespace sent on the request',
    )
  }
  return { ...object, metadata: { ...metadata, ...(namespace && { namespace }) } }
}

/** @throws StatusError BadRequest unless the object has the name of the path. */
export function checkName({ name = '' }: Target, object: ApiObject): void {
  const given = object.metadata.name ?? ''
  if (given === name) return
  throw new StatusError(
    'BadRequest',
    given === ''
      ? `name of the object (${name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${given}) does not match the name on the URL (${name})`,
  )
}

/** The draft as the path of the request demands it: under its name, in its namespace. @throws StatusError BadRequest. */
export function draftFor(target: Target, draft: Draft): Draft {
  checkName(target, draft.object)
  return { ...draft, object: withRequestNamespace(target, draft.object) }
}
