import type { PodDisruptionBudget } from '../../../generated/apis/policy/v1.ts'
import type { Strategy } from '../strategy/strategy.ts'

/** A budget counts pods or shares of them (supplement I-18). */
export const disruptionBudget: Strategy<PodDisruptionBudget> = {
  check: (object) => object.child('spec').visit('minAvailable', 'maxUnavailable', 'selector'),
}
