/** Lint: the reasons of conditions. */
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import type { Built } from '../build/build.ts'
import type { Report } from '../finding.ts'
import type { StructType } from '../named-type.ts'
import { type LintRule, typesById } from './lint-rule.ts'

/** Each type of a condition has reasons, and each reason is of a type: both are values of the enums beside them. */
export const checkConditionReasons: LintRule = (built, report) => {
  for (const type of built.api.types) {
    if (type.is === 'struct' && type.conditions !== undefined) check(type, built, report)
  }
}

function check(struct: StructType, built: Built, report: Report): void {
  const declared = struct.conditions ?? {}
  const types = valuesOf('type', struct, built)
  const reasons = valuesOf('reason', struct, built)
  if (types === undefined || reasons === undefined) {
    const missing = types === undefined ? 'type' : 'reason'
    const message = `"${struct.name}" has reasons, so its field "${missing}" needs an "enum"`
    report(struct.at, 'condition-reasons', message)
    return
  }
  const given = Object.keys(declared)
  for (const type of given) if (!types.includes(type)) unknown('type', type, types)
  for (const type of types) {
    if (!given.includes(type)) {
      report(struct.at, 'condition-reasons', `"${struct.name}" has no reasons for "${type}"`)
    }
  }
  const named = Object.values(declared).flatMap((one) => Object.keys(one.reasons))
  for (const reason of new Set(named)) {
    if (!reasons.includes(reason)) unknown('reason', reason, reasons)
  }
  const statuses = valuesOf('status', struct, built) ?? usualStatuses
  for (const { healthy } of Object.values(declared)) {
    if (healthy !== undefined && !statuses.includes(healthy)) unknown('status', healthy, statuses)
  }

  function unknown(field: string, value: string, values: readonly string[]): void {
    const message = `"${value}" is not among the values of "${field}"${didYouMean(value, values)}`
    report(struct.at, 'condition-reasons', message)
  }
}

/** What a status is where its schema names no values. */
const usualStatuses = ['True', 'False', 'Unknown']

/** The values of a field that has an enum. */
function valuesOf(name: string, struct: StructType, built: Built): readonly string[] | undefined {
  const type = struct.fields.find((field) => field.name === name)?.type
  if (type?.is === 'string') return type.bounds.values
  const named = type?.is === 'ref' ? typesById(built).get(type.to) : undefined
  return named?.is === 'enum' ? named.values : undefined
}
