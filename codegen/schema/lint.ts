import type { Built } from './build.ts'
import type { Report } from './finding.ts'
import { checkConstraints } from './lint/constraints.ts'
import { checkConversions } from './lint/conversions.ts'
import { checkDefaults } from './lint/defaults.ts'
import { checkFeatures } from './lint/features.ts'
import { checkFields } from './lint/fields.ts'
import { checkFlags } from './lint/flags.ts'
import { checkKinds } from './lint/kinds.ts'
import { checkMarkers } from './lint/markers.ts'
import { checkMergeKeys } from './lint/merge-keys.ts'
import { checkPaths } from './lint/paths.ts'
import type { Rule } from './lint/rule.ts'
import { checkRules } from './lint/rules.ts'
import { checkTypes } from './lint/types.ts'

/** Each rule has its pairs of a wrong schema and the exact message in `test/golden/bad`. */
const rules: readonly Rule[] = [
  checkConstraints,
  checkConversions,
  checkDefaults,
  checkFeatures,
  checkFields,
  checkFlags,
  checkKinds,
  checkMarkers,
  checkMergeKeys,
  checkPaths,
  checkRules,
  checkTypes,
]

/** Applies every rule to what was built. */
export function lint(built: Built, report: Report): void {
  for (const rule of rules) rule(built, report)
}
