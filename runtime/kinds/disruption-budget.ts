/** The rules of PodDisruptionBudget. */
import type { LabelSelectorLike } from '../kernel/labels.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { checkAmount, checkShare } from './amounts.ts'
import type { Rule } from './kinds.ts'
import { checkSelector } from './selectors.ts'
import type { IntOrString } from './shapes.ts'

interface Spec {
  readonly minAvailable?: IntOrString
  readonly maxUnavailable?: IntOrString
  readonly selector?: LabelSelectorLike
}

interface Budget extends ApiObject {
  readonly spec?: Spec
}

/** A budget counts pods or shares of them (supplement I-18). */
export const disruptionBudget: Rule = {
  validate(object) {
    const spec = (object as Budget).spec ?? {}
    return [
      ...checkBound('spec.minAvailable', spec.minAvailable),
      ...checkBound('spec.maxUnavailable', spec.maxUnavailable),
      ...(spec.selector ? checkSelector('spec.selector', spec.selector) : []),
    ]
  },
}

function checkBound(path: string, value: IntOrString | undefined): readonly Finding[] {
  return value === undefined ? [] : [...checkAmount(path, value), ...checkShare(path, value)]
}
