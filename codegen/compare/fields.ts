/** Rule 1 about one field: what clients send and stored objects hold keeps its meaning. */
import type { FeatureFacts } from '../schema/ir.ts'
import type { Field } from '../schema/named-type.ts'

/**
 * What a field says about itself that clients and stored objects rely on: it stays as it is.
 * Wire forms are among them: an object that was stored as protobuf has to be read as the same
 * one.
 */
const fixed: readonly (readonly [key: keyof Field, what: string])[] = [
  ['zero', 'what an absent value means'],
  ['keys', 'the keys of its list'],
  ['patchKey', 'its patch merge key'],
  ['patch', 'its patch strategy'],
  ['proto', 'its protobuf number'],
  ['protoName', 'its protobuf name'],
  ['pointer', 'what an absent value means'],
  ['protoMessage', 'its protobuf form'],
]

/**
 * Rule 1 about one field; `report` takes the end of a sentence about it. A list or map may change between atomic and
 * granular: appliers keep what they own through it.
 */
export function checkField(
  before: Field,
  after: Field,
  gates: ReadonlyMap<string, FeatureFacts>,
  report: (message: string) => void,
): void {
  if (!before.required && after.required && after.default === undefined) report('becomes required')
  if (!same(before.default, after.default)) {
    report(`changes its default: ${print(before.default)} before, ${print(after.default)} now`)
  }
  for (const [key, what] of fixed) {
    if (same(promised(before, key), promised(after, key))) continue
    report(`changes ${what}: ${print(before[key])} before, ${print(after[key])} now`)
  }
  if (!before.checkAbsent && after.checkAbsent) report('is checked while it is absent')
  if (before.absentIsZero && !after.absentIsZero) report('may no longer be absent')
  if (before.unvalidated && !after.unvalidated) report('is validated')
  if (before.duplicates && !after.duplicates) report('refuses items that share their keys')
  const gate = after.featureGate
  if (gate === undefined || gate === before.featureGate) return
  if (gates.get(gate)?.releases.at(-1)?.default !== true) {
    report(`is there only while the gate ${gate} is on, and that is off by default`)
  }
}

/** What a field promises: an absent value may be written as null, and means the same. */
function promised(field: Field, key: keyof Field): unknown {
  return key === 'zero' && field.zero === 'null' ? 'tracked' : field[key]
}

/** Facts are data: they are equal if their JSON is. */
function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function print(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}
