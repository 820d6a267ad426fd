/** The rules of ReplicationController, whose selector is a plain set of labels. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { change } from '../strategy/change.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { invalid, required } from '../types/field-errors.ts'
import { checkLabels } from '../types/label-selectors.ts'
import type { PodTemplate, Strings } from '../types/shapes.ts'

interface ReplicationController extends ApiObject {
  readonly spec?: { readonly selector?: Strings; readonly template?: PodTemplate }
}

/** The labels of the template select the pods, and label the controller, unless it says otherwise. */
export const replicationController: Strategy = {
  defaults(object) {
    const { spec, metadata } = object as ReplicationController
    const labels = spec?.template?.metadata?.labels
    if (isEmpty(labels)) return object
    return change(object as ReplicationController, {
      spec: spec && isEmpty(spec.selector) ? change(spec, { selector: labels }) : spec,
      metadata: isEmpty(metadata.labels) ? { ...metadata, labels: labels ?? {} } : metadata,
    })
  },
  validate: (object) => checkSpec((object as ReplicationController).spec ?? {}),
}

type Spec = NonNullable<ReplicationController['spec']>

function checkSpec({ selector, template }: Spec): readonly FieldError[] {
  return [
    ...checkLabels('spec.selector', selector),
    ...(isEmpty(selector) ? [required('spec.selector')] : []),
    ...(template === undefined ? [required('spec.template')] : checkMatch(selector, template)),
  ]
}

function checkMatch(selector: Strings = {}, { metadata }: PodTemplate): readonly FieldError[] {
  const labels = metadata?.labels ?? {}
  if (Object.entries(selector).every(([key, value]) => labels[key] === value)) return []
  const why = '`selector` does not match template `labels`'
  return [invalid('spec.template.metadata.labels', labels, why)]
}

function isEmpty(labels: Strings | undefined): boolean {
  return labels === undefined || Object.keys(labels).length === 0
}
