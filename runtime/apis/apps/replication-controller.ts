import type {
  ReplicationController,
  ReplicationControllerSpec,
} from '../../../generated/apis/core/v1/replication-controller.ts'
import { shownStrings } from '../../kernel/validation/go-value.ts'
import { change } from '../../kernel/values/change.ts'
import type { Field } from '../../kernel/walker/field.ts'
import type { Strategy } from '../strategy/strategy.ts'

/**
 * The labels of the template select the pods, and label the controller, unless it says otherwise.
 * Without labels in the template nothing is filled in. This older kind has a plain map as its
 * selector, and no rule that it never changes.
 */
export const replicationController: Strategy<ReplicationController> = {
  defaults(object) {
    const { spec, metadata } = object
    const labels = spec?.template?.metadata?.labels
    if (isEmpty(labels)) return object
    return change(object, {
      spec: spec && isEmpty(spec.selector) ? change(spec, { selector: labels }) : spec,
      metadata: isEmpty(metadata.labels) ? { ...metadata, labels: labels ?? {} } : metadata,
    })
  },
  check(object) {
    const spec = object.child('spec')
    if (isEmpty(spec.value.selector)) spec.required('selector')
    if (spec.value.template === undefined) spec.required('template')
    else checkMatch(spec)
  },
}

/** The error stands at the labels of the template, not at the selector, and shows the labels. */
function checkMatch(spec: Field<ReplicationControllerSpec>): void {
  const { selector = {}, template } = spec.value
  const labels = template?.metadata?.labels ?? {}
  if (Object.entries(selector).every(([key, value]) => labels[key] === value)) return
  const why = '`selector` does not match template `labels`'
  spec.invalid('template.metadata.labels', why, shownStrings(template?.metadata?.labels))
}

function isEmpty(labels: Readonly<Record<string, string>> | undefined): boolean {
  return labels === undefined || Object.keys(labels).length === 0
}
