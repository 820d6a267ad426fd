/** The rules of PodDisruptionBudget. */
import type { LabelSelectorFields } from '../../kernel/meta/label-selector.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { checkIntOrPercent, checkPercentBound } from '../types/int-or-percent.ts'
import { checkSelector } from '../types/label-selectors.ts'
import type { IntOrString } from '../types/shapes.ts'

interface Spec {
  readonly minAvailable?: IntOrString
  readonly maxUnavailable?: IntOrString
  readonly selector?: LabelSelectorFields
}

interface Budget extends ApiObject {
  readonly spec?: Spec
}

/** A budget counts pods or shares of them (supplement I-18). */
export const disruptionBudget: Strategy = {
  validate(object) {
    const spec = (object as Budget).spec ?? {}
    return [
      ...checkBound('spec.minAvailable', spec.minAvailable),
      ...checkBound('spec.maxUnavailable', spec.maxUnavailable),
      ...(spec.selector ? checkSelector('spec.selector', spec.selector) : []),
    ]
  },
}

function checkBound(path: string, value: IntOrString | undefined): readonly FieldError[] {
  return value === undefined
    ? []
    : [...checkIntOrPercent(path, value), ...checkPercentBound(path, value)]
}
