import type { PodDisruptionBudget } from '../../../generated/apis/policy/v1.ts'
import type { Strategy } from '../strategy/strategy.ts'

/**
 * A budget counts pods or shares of them (supplement I-18).
 * Numbers and percentages by the checks that the schema names; that only one of the two is given is
 * an expression of the schema.
 */
export const disruptionBudget: Strategy<PodDisruptionBudget> = {
  check: (object) => object.child('spec').visit('minAvailable', 'maxUnavailable', 'selector'),
  checkStatus: (object) => object.child('status').visit('conditions'),
}
