import type { DeploymentSpec } from '../../../generated/apis/apps/v1/deployment.ts'
import { labelRequirementsOf, matchesLabels } from '../../kernel/meta/label-selector.ts'
import { shownSelector, shownStrings } from '../../kernel/validation/go-value.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { isEmptySelector, isUnusable } from '../types/label-selectors.ts'

/** A kind that keeps pods running and finds them by a selector. */
interface Workload {
  readonly kind: string
  readonly spec?: Pick<DeploymentSpec, 'selector' | 'template'>
}

/**
 * The selector has requirements, and selects the pods of the template.
 * An empty selector would take over all pods of the namespace. Its message names a ReplicaSet a
 * deployment, as release 1.29 does. With errors in the selector itself, nothing is matched; an
 * absent one, which the schema has reported, selects nothing (supplement I-13). A DaemonSet says of an absent selector that
 * alone.
 */
export const workload: Strategy<Workload> = {
  check(object) {
    const { kind = '' } = object.value
    const spec = object.child('spec')
    const { selector, template } = spec.value
    if (kind === 'DaemonSet' && selector === undefined) spec.passOver('selector')
    if (selector && isEmptySelector(selector)) {
      const what = kind === 'ReplicaSet' ? 'deployment' : kind.toLowerCase()
      const why = `empty selector is invalid for ${what}`
      return spec.invalid('selector', why, shownSelector(selector))
    }
    if (selector && (spec.finds('selector') || isUnusable(selector))) {
      if (kind === 'DaemonSet') return
      const why = kind === 'StatefulSet' ? '' : 'invalid label selector'
      return spec.invalid('selector', why, shownSelector(selector))
    }
    const requirements = selector && labelRequirementsOf(selector)
    const given = template?.metadata?.labels
    if (requirements && matchesLabels(requirements, given)) return
    const labels = shownStrings(given)
    spec.invalid('template.metadata.labels', '`selector` does not match template `labels`', labels)
  },
}
