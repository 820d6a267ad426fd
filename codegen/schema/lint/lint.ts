/** The lint rules. */
import type { Built } from '../build/build.ts'
import type { Report } from '../finding.ts'
import { checkConditionReasons } from './condition-reasons.ts'
import { checkConstraints } from './constraints.ts'
import { checkControllers } from './controllers.ts'
import { checkConversions } from './conversions.ts'
import { checkDefaults } from './defaults.ts'
import { checkFeatures } from './feature-gates.ts'
import { checkFields } from './fields.ts'
import { checkFlags } from './flags.ts'
import { checkKinds } from './kinds.ts'
import type { LintRule } from './lint-rule.ts'
import { checkMarkers } from './markers.ts'
import { checkMergeKeys } from './merge-keys.ts'
import { checkMigrations } from './migrations.ts'
import { checkPaths } from './paths.ts'
import { checkReferences } from './references.ts'
import { checkSince } from './since.ts'
import { checkTypes } from './types.ts'
import { checkRules } from './validation-rules.ts'

/** Each has pairs of a wrong schema and its exact message in `test/golden/bad`. */
const rules: readonly LintRule[] = [
  checkConditionReasons,
  checkConstraints,
  checkControllers,
  checkConversions,
  checkDefaults,
  checkFeatures,
  checkFields,
  checkFlags,
  checkKinds,
  checkMarkers,
  checkMergeKeys,
  checkMigrations,
  checkPaths,
  checkReferences,
  checkRules,
  checkSince,
  checkTypes,
]

/** Applies every rule to what was built. */
export function lint(built: Built, report: Report): void {
  for (const rule of rules) rule(built, report)
}
