/** Lint: feature gates. */
import type { FeatureStage } from '../../../runtime/kernel/descriptors/feature-gate.ts'
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import type { Report } from '../finding.ts'
import type { FeatureFacts } from '../ir.ts'
import type { LintRule } from './lint-rule.ts'

/** A release as `features.yaml` writes it. */
const form = /^[0-9]+\.[0-9]+$/
/** The stages in the order in which a gate goes through them. */
const rank: Readonly<Record<FeatureStage, number>> = { Alpha: 0, Beta: 1, GA: 2, Deprecated: 3 }

/**
 * Names of gates are unique; their releases ascend and their stages never go back; what is GA is on, and a locked gate
 * does not change. A field names a gate that exists.
 */
export const checkFeatures: LintRule = ({ api, definitions }, report) => {
  const known = new Map<string, FeatureFacts>()
  for (const feature of api.features) {
    const other = known.get(feature.gate)
    if (other !== undefined) {
      const where = `${other.at.file}:${other.at.line}`
      report(feature.at, 'duplicate-gate', `the gate "${feature.gate}" is already in ${where}`)
    }
    known.set(feature.gate, other ?? feature)
    checkName(feature, report)
    checkReleases(feature, report)
  }
  for (const { gate, replacement, at } of api.features) {
    if (replacement === undefined || (known.has(replacement) && replacement !== gate)) continue
    const near = didYouMean(replacement, known.keys())
    report(at, 'unknown-gate', `"${replacement}" cannot replace "${gate}": no such gate${near}`)
  }
  if (known.size === 0) return
  for (const { schema } of definitions.fresh) {
    for (const { name, schema: field } of schema.properties ?? []) {
      const gate = field.markers.get('feature-gate')
      if (gate === undefined || known.has(String(gate.value))) continue
      const message = `"${name}" needs the gate "${gate.value}", which features.yaml does not have`
      report(gate.at, 'unknown-gate', message + didYouMean(String(gate.value), known.keys()))
    }
  }
}

function checkName({ gate, at }: FeatureFacts, report: Report): void {
  if (/^[A-Z][A-Za-z0-9]*(<vendor>[A-Za-z0-9]*)?$/.test(gate)) return
  report(at, 'bad-gate', `the gate "${gate}" must be letters and digits, a capital first`)
}

/** The rules about the history of one gate, release by release. */
function checkReleases({ gate, at, releases }: FeatureFacts, report: Report): void {
  if (releases.length === 0) report(at, 'gate-release', `the gate "${gate}" has no release`)
  releases.forEach((release, index) => {
    const { since, stage, locked } = release
    if (!form.test(since)) {
      const message = `"${since}" is not a release of the gate "${gate}"; expected MAJOR.MINOR`
      report(release.at, 'gate-release', message)
    }
    if (stage === 'GA' && !release.default) {
      report(release.at, 'gate-default', `the gate "${gate}" is GA, so it must be on`)
    }
    const before = releases[index - 1]
    if (before === undefined || !form.test(since)) return
    if (compareReleases(before.since, since) >= 0) {
      const message = `release ${since} of the gate "${gate}" must come after ${before.since}`
      report(release.at, 'gate-release', message)
    }
    if (rank[stage] < rank[before.stage]) {
      const message = `the gate "${gate}" cannot go from ${before.stage} back to ${stage}`
      report(release.at, 'gate-stage', message)
    }
    if (before.locked === true && (locked !== true || before.default !== release.default)) {
      const message = `the gate "${gate}" is locked since ${before.since} and cannot change any more`
      report(release.at, 'gate-lock', message)
    }
  })
}

/** Negative, zero or positive, as the release `a` is before, the same as or after `b`. */
export function compareReleases(a: string, b: string): number {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number)
  const [majorB = 0, minorB = 0] = b.split('.').map(Number)
  return majorA - majorB || minorA - minorB
}
