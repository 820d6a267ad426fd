/** How the controllers of pods find them. */
import { labelRequirementsOf, matchesLabels } from '../../kernel/meta/label-selector.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { invalid } from '../types/field-errors.ts'
import { checkSelector, isEmptySelector } from '../types/label-selectors.ts'
import type { Workload } from '../types/shapes.ts'

/** The selector says something, and selects the pods of the template. */
export const workload: Strategy = {
  validate(object) {
    const given = object as Workload
    return given.spec?.selector ? checkMatch(given) : []
  },
}

function checkMatch({ kind, spec }: Workload): readonly FieldError[] {
  const selector = spec?.selector ?? {}
  if (isEmptySelector(selector)) {
    const what = kind === 'ReplicaSet' ? 'deployment' : kind.toLowerCase()
    return [invalid('spec.selector', selector, `empty selector is invalid for ${what}`)]
  }
  const malformed = checkSelector('spec.selector', selector)
  const requirements = labelRequirementsOf(selector)
  if (malformed.length > 0 || requirements === undefined) return malformed
  const labels = spec?.template?.metadata?.labels
  if (spec?.template === undefined || matchesLabels(requirements, labels)) return []
  const why = '`selector` does not match template `labels`'
  return [invalid('spec.template.metadata.labels', labels, why)]
}
