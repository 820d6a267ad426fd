import type { FeatureFacts, Field } from '../schema/ir.ts'
import type { ReportBreakingChange } from './breaking-change.ts'
import type { ComparedPosition } from './types.ts'

/** What a field says about itself that clients and stored objects go by: it stays as it is. */
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
 * Rule 1 about one field. A list or map may change between atomic and granular: appliers keep what they own through it.
 */
export function checkField(
  before: Field,
  after: Field,
  { name, ...at }: ComparedPosition,
  gates: ReadonlyMap<string, FeatureFacts>,
  tell: ReportBreakingChange,
): void {
  const say = (message: string) => tell({ rule: 'rule-1', message: `${name} ${message}`, ...at })
  if (!before.required && after.required && after.default === undefined) say('becomes required')
  if (!same(before.default, after.default)) {
    say(`changes its default: ${print(before.default)} before, ${print(after.default)} now`)
  }
  for (const [key, what] of fixed) {
    if (same(before[key], after[key])) continue
    say(`changes ${what}: ${print(before[key])} before, ${print(after[key])} now`)
  }
  if (!before.checkAbsent && after.checkAbsent) say('is checked while it is absent')
  if (before.duplicates && !after.duplicates) say('refuses items that share their keys')
  const gate = after.featureGate
  if (gate === undefined || gate === before.featureGate) return
  if (gates.get(gate)?.releases.at(-1)?.default !== true) {
    say(`is there only while the gate ${gate} is on, and that is off by default`)
  }
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function print(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}
