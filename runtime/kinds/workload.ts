/** How Deployments and ReplicaSets find their pods. */
import { equal } from '../kernel/equal.ts'
import { matchesLabels, requirementsOf } from '../kernel/labels.ts'
import type { Finding } from '../kernel/read.ts'
import { invalid } from './findings.ts'
import type { Rule } from './kinds.ts'
import { checkSelector, isEmptySelector } from './selectors.ts'
import type { Workload } from './shapes.ts'

/** The selector says something, selects the pods of the template, and never changes. */
export const workload: Rule = {
  validate(object, old) {
    const given = object as Workload
    const selector = given.spec?.selector
    if (!selector) return []
    const before = (old as Workload | undefined)?.spec?.selector
    const changed = old !== undefined && !equal(selector, before)
    return [
      ...checkMatch(given),
      ...(changed ? [invalid('spec.selector', selector, 'field is immutable')] : []),
    ]
  },
}

function checkMatch({ spec }: Workload): readonly Finding[] {
  const selector = spec?.selector ?? {}
  if (isEmptySelector(selector)) {
    return [invalid('spec.selector', selector, 'empty selector is invalid for deployment')]
  }
  const malformed = checkSelector('spec.selector', selector)
  const requirements = requirementsOf(selector)
  if (malformed.length > 0 || requirements === undefined) return malformed
  const labels = spec?.template?.metadata?.labels
  if (spec?.template === undefined || matchesLabels(requirements, labels)) return []
  const why = '`selector` does not match template `labels`'
  return [invalid('spec.template.metadata.labels', labels, why)]
}
