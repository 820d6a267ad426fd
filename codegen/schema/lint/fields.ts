/** Lint: fields of structs, members of unions. */
import type { Report } from '../finding.ts'
import type { Field, NamedType, StructType, UnionType } from '../named-type.ts'
import { jsonTypeOf } from '../union-members.ts'
import type { LintRule } from './lint-rule.ts'
import { typesById } from './lint-rule.ts'

/**
 * Names and protobuf numbers are unique in a struct; only structs are checked when absent, only texts, numbers and lists are missing
 * when empty; the members of a union have different JSON types.
 */
export const checkFields: LintRule = (built, report) => {
  const types = typesById(built)
  for (const type of built.api.types) {
    if (type.is === 'union') checkMembers(type, types, report)
    if (type.is !== 'struct') continue
    for (const [field, other] of clashes(type, (each) => each.name)) {
      const message = `"${field.name}" is already a field of "${other.inline?.type ?? type.id}"`
      report(field.at, 'duplicate-field', message)
    }
    for (const [field, other] of clashes(type, numberOf)) {
      const message = `"${field.name}" has the protobuf number ${field.proto} of "${other.name}"`
      report(field.at, 'duplicate-proto', message)
    }
    for (const field of type.fields) checkAbsence(field, types, report)
  }
}

function checkAbsence(
  { at, checkAbsent, missing, name, type }: Field,
  types: ReadonlyMap<string, NamedType>,
  report: Report,
): void {
  const target = type.is === 'ref' ? types.get(type.to)?.is : type.is
  if (checkAbsent && target !== 'struct') {
    const message = `"${name}" is no struct, so it cannot be checked while it is absent`
    report(at, 'check-absent', message)
  }
  if (missing === undefined || ['string', 'enum', 'integer', 'list'].includes(target ?? '')) return
  report(at, 'missing-text', `"${name}" is no text, number or list, so it is never empty`)
}

/** The JSON type of a value must say which member of a union it is. */
function checkMembers(
  { at, name, members }: UnionType,
  types: ReadonlyMap<string, NamedType>,
  report: Report,
): void {
  const forms = members.map(({ type }) => jsonTypeOf(type, (id) => types.get(id)))
  const twice = forms.find((form, index) => forms.indexOf(form) !== index)
  if (twice === undefined) return
  const message = `two members of "${name}" are of the JSON type ${twice}, so nothing tells them apart`
  report(at, 'unclear-union', message)
}

/** Fields that share a key with an earlier one, each with that one. Fields without a key are left out. */
function clashes(
  { fields }: StructType,
  keyOf: (field: Field) => string | undefined,
): readonly (readonly [Field, Field])[] {
  const seen = new Map<string, Field>()
  return fields.flatMap((field) => {
    const key = keyOf(field)
    const other = key === undefined ? undefined : seen.get(key)
    if (key !== undefined && other === undefined) seen.set(key, field)
    return other === undefined ? [] : [[field, other] as const]
  })
}

/** The scope of a protobuf number: an inlined struct is a message of its own. */
function numberOf({ inline, proto }: Field): string | undefined {
  return proto === undefined
    ? undefined
    : `${inline?.name ?? ''} ${inline?.inner?.name ?? ''} ${proto}`
}
