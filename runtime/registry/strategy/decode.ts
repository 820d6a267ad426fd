import { type Awaitable, chainAwaitable } from '../../kernel/async/awaitable.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import type { StatusError } from '../../kernel/errors/status-error.ts'
import { type ApiObject, apiVersionOf } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import {
  firstProblems,
  type ReadResult,
  readObject,
  type StrictProblems,
  unknownFieldText,
} from '../../serializer/serializer.ts'
import type { Body, FieldValidation, Target } from '../contract/contract.ts'
import { invalid } from '../contract/errors.ts'
import type { ManagedFields } from './managed-fields.ts'
import {
  otherKind,
  statesKind,
  type TypedScheme,
  typeDoubt,
  typeProblemOf,
  unhandled,
} from './type-refusal.ts'

/** A decoded object on its way to the store, its field errors, and the warnings for its sender. */
export interface Draft {
  readonly object: ApiObject
  /** What its reader refused. A reader fills absent fields, so reading again finds fewer errors. */
  readonly fieldErrors: readonly FieldError[]
  readonly warnings: readonly string[]
  /** Its managed fields, where an apply has settled them. */
  readonly managed?: ManagedFields
  /** Made of the stored object: a uid that it changes is a field that is wrong, and not a precondition. */
  readonly patched?: true
  /** Work on it yields to other requests in between. */
  readonly large?: boolean
  /** The object is the stored one: nothing is to be written. */
  readonly unchanged?: boolean
  /** Why it is refused, whatever else is wrong with it, where it could be stored. */
  readonly refusal?: StatusError
}

/**
 * Reads a body as the target's kind. Only what may be refused for its types waits for the tables that say why.
 *
 * @throws StatusError BadRequest if it does not fit, or as field validation demands.
 */
export function decodeBody(
  scheme: TypedScheme,
  { kind }: Pick<Target, 'kind'>,
  body: Body,
  validation: FieldValidation,
): Awaitable<Draft> {
  const { value, duplicates, strict = problemsWith(duplicates), large = false } = body
  if (!statesKind(kind, value)) {
    if (statesOtherCustomKind(kind, value)) {
      const own = { ...body, value: { ...value, kind: kind.kind } }
      const refusal = wrongCustomKind(kind, value)
      return chainAwaitable(decodeBody(scheme, { kind }, own, 'Ignore'), (draft) => ({
        ...draft,
        refusal,
      }))
    }
    return rejection(otherKind(scheme, kind, value))
  }
  const read = readObject(kind, value, true)
  const draft = (): Draft => ({ ...checkFields(kind, read, strict, validation), large })
  const doubt = typeDoubt(read, body)
  if (doubt === undefined) return draft()
  return typeProblemOf(scheme, kind, value, doubt).then((why) => {
    if (why !== undefined) throw unhandled(kind, why)
    return draft()
  })
}

/** True for a body in the version of a custom kind that names another kind: as what it is nothing is known of it, so it is judged as this one. */
function statesOtherCustomKind(
  { customResource, ...kind }: Target['kind'],
  value: Json,
): value is JsonObject {
  return customResource !== undefined && isObject(value) && value.apiVersion === apiVersionOf(kind)
}

function wrongCustomKind({ group, kind }: Target['kind'], value: JsonObject): StatusError {
  const given = String(value.kind)
  const { name } = isObject(value.metadata) ? value.metadata : {}
  const message = `Invalid value: ${quoted(given)}: must be ${kind}`
  return invalid({ group, kind: given }, String(name ?? ''), [
    { path: 'kind', reason: 'FieldValueInvalid', message },
  ])
}

async function rejection(error: Promise<StatusError>): Promise<never> {
  throw await error
}

/**
 * Reads a value of the server's own as an object of the kind.
 *
 * @throws StatusError BadRequest if anything in it is of the wrong type.
 */
export function readTyped(kind: Kind, value: Json): ReadResult {
  const result = readObject(kind, value)
  const [wrong] = result.report.typeErrors
  if (wrong === undefined) return result
  throw unhandled(kind, wrong.message)
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

/** The duplicate keys of a patch, and behind them the unknown fields of what it made. */
export function duplicatesFirst(duplicates: readonly string[]): StrictProblems {
  const warnings = (unknown: readonly string[]) =>
    firstProblems([...duplicates, ...unknown.map(unknownFieldText)])
  return { warnings, error: (unknown) => warnings(unknown).join(', ') }
}

/** Unknown fields, and behind them what else is told. */
export function problemsWith(duplicates: readonly string[]): StrictProblems {
  const warnings = (unknown: readonly string[]) =>
    firstProblems([...unknown.map(unknownFieldText), ...duplicates])
  return { warnings, error: (unknown) => warnings(unknown).join(', ') }
}
