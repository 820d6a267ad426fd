/** How the controllers of pods find them. */
import { matchesLabels, requirementsOf } from '../kernel/labels.ts'
import type { Finding } from '../kernel/read.ts'
import { invalid } from './findings.ts'
import type { Rule } from './kinds.ts'
import { checkSelector, isEmptySelector } from './selectors.ts'
import type { Workload } from './shapes.ts'

/** The selector says something, and selects the pods of the template. */
export const workload: Rule = {
  validate(object) {
    const given = object as Workload
    return given.spec?.selector ? checkMatch(given) : []
  },
}

function checkMatch({ kind, spec }: Workload): readonly Finding[] {
  const selector = spec?.selector ?? {}
  if (isEmptySelector(selector)) {
    const what = kind === 'ReplicaSet' ? 'deployment' : kind.toLowerCase()
    return [invalid('spec.selector', selector, `empty selector is invalid for ${what}`)]
  }
  const malformed = checkSelector('spec.selector', selector)
  const requirements = requirementsOf(selector)
  if (malformed.length > 0 || requirements === undefined) return malformed
  const labels = spec?.template?.metadata?.labels
  if (spec?.template === undefined || matchesLabels(requirements, labels)) return []
  const why = '`selector` does not match template `labels`'
  return [invalid('spec.template.metadata.labels', labels, why)]
}
