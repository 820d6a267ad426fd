/** Emits the lines that put one field into the result: its default, its zero value, or the error that it is missing. */
import type { Field, StructType } from '../../schema/named-type.ts'
import type { Imports } from '../code/imports.ts'
import { literal } from '../code/literal.ts'
import { lowerFirst, member, quote } from '../code/names.ts'
import type { Model } from '../model/model.ts'
import { completed, isZero, zeroOf } from '../model/zeros.ts'
import { type HoistedConstants, zeroCheck } from './field-reader.ts'

/**
 * The statements for a field whose value, if it was sent, is in the variable `local`.
 * One of six forms, the first that applies: default, checked while absent, required, null, kept, optional.
 *
 *   if (f1 !== undefined) out.immutable = f1
 */
export function fieldResult(
  field: Field,
  local: string,
  struct: StructType,
  model: Model,
  imports: Imports,
  hoisted: HoistedConstants,
): readonly string[] {
  const out = member('out', field.name)
  const type = `r.Present<${imports.type(struct)}, ${quote(field.name)}>`
  const cast = (text: string): string => `${text} as ${type}`
  const constant = (value: unknown): string => constantOf(value, field, struct, type, hoisted)

  if (field.default !== undefined) {
    return [
      `  ${out} = ${givenValue(field, local)} ?? ${constant(completed(field.type, field.default, model))}`,
    ]
  }
  if ((field.checkAbsent || field.absentIsZero) && model.struct(field.type) !== undefined) {
    const reader = imports.reader(model.struct(field.type)!)
    const read = `r.struct({}, report, ${quote(field.name)}, ${reader})!`
    const known = field.unvalidated ? `r.unvalidated(report, report.errors.length, ${read})` : read
    return [`  ${out} = ${local} ?? ${known}`]
  }
  if (field.required && field.zero !== 'keep') {
    const zero = zeroOf(field.type, model)
    const kind = field.absentIsZero ? undefined : field.type.is
    const empty = kind === 'list' ? [] : kind === 'map' ? {} : zero
    if (field.pointer) {
      return [`  if (${local} !== undefined) ${out} = ${local}`, ...missingElse(field)]
    }
    const check = absenceCheck(field, struct, model, imports, hoisted)
    return [
      ...(check === undefined ? [] : [`  if (${local} === undefined) ${check}`]),
      `  ${out} = ${cast(`(${local} === undefined ? ${constant(empty)} : ${local})`)}`,
    ]
  }
  if (field.zero === 'null') return [`  ${out} = ${cast(`(${local} ?? null)`)}`]
  if (field.zero === 'keep' && (field.type.is === 'list' || field.type.is === 'map')) {
    return [`  ${out} = ${cast(`r.kept(${local}, report)`)}`]
  }
  if (field.zero === 'keep') {
    return [`  ${out} = ${cast(`(${local} ?? ${constant(zeroOf(field.type, model))})`)}`]
  }
  return [`  if (${isGiven(field, local, model)}) ${out} = ${local}`]
}

/** The line that follows where the value is put: it is refused if there is none. */
function missingElse(field: Field): readonly string[] {
  if (field.unvalidated) return []
  return [`  else r.required(report, ${quote(field.name)}${detailOf(field)})`]
}

function detailOf({ missing }: Field): string {
  return missing === undefined ? '' : `, ${quote(missing)}`
}

/** What is said of a required field that is absent; undefined if nothing is. */
function absenceCheck(
  field: Field,
  struct: StructType,
  model: Model,
  imports: Imports,
  hoisted: HoistedConstants,
): string | undefined {
  if (field.unvalidated) return undefined
  if (field.absentIsZero) return zeroCheck(field, struct, model, imports, hoisted)
  return `r.required(report, ${quote(field.name)}${detailOf(field)})`
}

/**
 * The local as sent: of a required field, and of one with `x-orch-zero: omit`, the zero value counts as not sent.
 * So an empty list gets the default as well, unless the field is tracked.
 */
function givenValue(field: Field, local: string): string {
  if (field.zero === 'tracked') return local
  if (field.type.is === 'list' || field.type.is === 'map') {
    return `(r.filled(${local}) ? ${local} : undefined)`
  }
  return field.zero === 'omit' || field.required ? `(${local} || undefined)` : local
}

/**
 * The condition under which an optional field is in the result.
 * For most types the truth of the local says it (`if (f3)`); quantities and durations, whose
 * zeros are texts, are compared.
 */
function isGiven(field: Field, local: string, model: Model): string {
  const present = `${local} !== undefined`
  if (field.zero === 'tracked' || field.zero === 'null') return present
  if (field.type.is === 'list' || field.type.is === 'map') return `r.filled(${local})`
  const zero = zeroOf(field.type, model)
  if (zero === '0' || zero === '0s') return `${present} && ${local} !== ${literal(zero)}`
  return zero !== null && isZero(zero) ? local : present
}

/**
 * A default as an expression: objects and lists are shared constants, which are frozen.
 * Plain values stand in place. Shared objects are frozen by `r.constant`, so no object can change
 * the default of another.
 */
function constantOf(
  value: unknown,
  field: Field,
  struct: StructType,
  type: string,
  hoisted: HoistedConstants,
): string {
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'string' ? `(${literal(value)} as ${type})` : literal(value)
  }
  const text = literal(value)
    .replace(/\s*\n\s*/g, ' ')
    .replace(/,( [}\]])/g, '$1')
  const wish = `${lowerFirst(struct.name)}${field.name.replace(/\W/g, '')}Zero`
  return hoisted.name(wish, `r.constant<${type}>(${text})`)
}
