import type { Platform } from '../../kernel/descriptors/platform.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { isObject, type JsonObject } from '../../kernel/values/json.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import type { DeleteOptions } from '../contract/contract.ts'
import { invalid } from '../contract/errors.ts'
import { dryRunErrors, unsupportedValue } from '../contract/option-errors.ts'

const policies = ['Foreground', 'Background', 'Orphan'] as const

/**
 * Reads DeleteOptions, as a body or inside one; `dryRun` holds the values of the query parameter.
 *
 * @throws StatusError BadRequest for a value of the wrong type, Invalid for everything else, all at once.
 */
export function readDeleteOptions(
  body: JsonObject,
  { api }: Platform,
  dryRun: readonly string[] = [],
): DeleteOptions {
  const dry = [...dryRun, ...strings(body, 'dryRun')]
  return {
    ...grace(body),
    ...policy(body, `meta.${api}`, dryRunErrors(dry)),
    ...preconditions(body),
    dryRun: dry.length > 0,
  }
}

/** Seconds; a negative number is taken for 1 by the kinds that have a grace period. */
function grace(body: JsonObject): Pick<DeleteOptions, 'gracePeriodSeconds'> {
  const seconds = body.gracePeriodSeconds ?? undefined
  if (seconds === undefined) return {}
  if (!isInt64(seconds)) throw wrong('gracePeriodSeconds', 'an integer', seconds)
  return { gracePeriodSeconds: seconds as number }
}

/** True for an integer of 64 bits: one that a number cannot hold is a bigint. */
function isInt64(value: unknown): boolean {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value
  return Number.isSafeInteger(value)
}

/**
 * The older boolean and the policy exclude each other; the boolean is translated, and kept, because the status code
 * depends on it.
 */
function policy(
  body: JsonObject,
  metaGroup: string,
  others: readonly FieldError[],
): Pick<DeleteOptions, 'propagationPolicy' | 'orphanDependents'> {
  const orphan = body.orphanDependents ?? undefined
  const given = body.propagationPolicy ?? undefined
  if (orphan !== undefined && typeof orphan !== 'boolean') {
    throw wrong('orphanDependents', 'a boolean', orphan)
  }
  if (given !== undefined && typeof given !== 'string') {
    throw wrong('propagationPolicy', 'a string', given)
  }
  const errors = [...policyErrors(orphan, given), ...others]
  if (errors.length > 0) throw invalid({ group: metaGroup, kind: 'DeleteOptions' }, '', errors)
  const known = policies.find((one) => one === given)
  if (known !== undefined) return { propagationPolicy: known }
  if (orphan === undefined) return {}
  return { orphanDependents: orphan, propagationPolicy: orphan ? 'Orphan' : 'Background' }
}

function policyErrors(orphan: boolean | undefined, given: string | undefined): FieldError[] {
  const path = 'propagationPolicy'
  if (given === undefined) return []
  const why = 'orphanDependents and deletionPropagation cannot be both set'
  const both: FieldError = {
    path,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${quoted(given)}: ${why}`,
  }
  const known = policies.some((one) => one === given)
  return [
    ...(orphan === undefined ? [] : [both]),
    ...(known ? [] : [unsupportedValue(path, given, [...policies, 'nil'])]),
  ]
}

/** The empty text is no precondition. */
function preconditions(body: JsonObject): Pick<DeleteOptions, 'preconditions'> {
  const given = body.preconditions ?? {}
  if (!isObject(given)) throw wrong('preconditions', 'an object', given)
  const uid = text(given, 'uid')
  const version = text(given, 'resourceVersion')
  if (uid === undefined && version === undefined) return {}
  return { preconditions: { ...(uid && { uid }), ...(version && { resourceVersion: version }) } }
}

function text(object: JsonObject, name: string): string | undefined {
  const value = object[name] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw wrong(`preconditions.${name}`, 'a string', value)
}

function strings(object: JsonObject, name: string): readonly string[] {
  const value = object[name] ?? []
  if (!Array.isArray(value)) throw wrong(name, 'a list of strings', value)
  return value.map((one) => {
    if (typeof one === 'string') return one
    throw wrong(name, 'a list of strings', one)
  })
}

/** BadRequest for a value of the wrong type, with the path of the field. */
function wrong(path: string, expected: string, value: unknown): StatusError {
  const found = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value
  return new StatusError('BadRequest', `${path}: expected ${expected}, found ${found}`)
}
