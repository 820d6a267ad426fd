/** How a Deployment replaces its pods. */
import type { Deployment, DeploymentStrategy } from '../../../generated/apis/apps/v1/deployment.ts'
import { shownIntOrString } from '../../kernel/validation/go-value.ts'
import { change } from '../../kernel/values/change.ts'
import {
  intOrPercentProblems,
  intOrPercentValue,
  percentBoundProblems,
} from '../../kernel/values/int-or-percent.ts'
import type { Field } from '../../kernel/walker/field.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { shownAmount } from '../types/formats.ts'

const quarter = '25%'
const unlimited = 2147483647

/**
 * A rolling update moves a quarter of the pods at a time by default, and always at least one.
 * The deadline is compared last. It has to be longer than the time for which pods must be ready, or
 * no update could ever make progress in time.
 */
export const deploymentStrategy: Strategy<Deployment> = {
  defaults: withBounds,
  check(object) {
    const spec = object.child('spec')
    checkStrategy(spec.child('strategy'))
    const { progressDeadlineSeconds: deadline = unlimited, minReadySeconds = 0 } = spec.value
    if (deadline > minReadySeconds) return
    spec.invalid('progressDeadlineSeconds', 'must be greater than minReadySeconds', deadline)
  },
}

/**
 * An absent type becomes RollingUpdate. Either bound alone is kept, and the other one filled in.
 */
function withBounds(object: LooseObject<Deployment>): LooseObject<Deployment> {
  const strategy = object.spec?.strategy ?? {}
  const { type = 'RollingUpdate', rollingUpdate: given = {} } = strategy
  if (type !== 'RollingUpdate') return object
  const { maxUnavailable = quarter, maxSurge = quarter } = given
  const rollingUpdate = change(given, { maxUnavailable, maxSurge })
  const spec = change(object.spec ?? {}, { strategy: change(strategy, { type, rollingUpdate }) })
  return change(object, { spec })
}

/**
 * Form of both bounds, then that not both are zero, which would leave no pod to move, and then that
 * not more than all may be missing. maxSurge may be above 100 percent.
 */
function checkStrategy(strategy: Field<DeploymentStrategy>) {
  const { type, rollingUpdate } = strategy.value
  if (rollingUpdate === undefined) return
  if (type === 'Recreate') {
    const why = "may not be specified when strategy `type` is 'Recreate'"
    return strategy.forbidden('rollingUpdate', why)
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate
  const update = strategy.child('rollingUpdate')
  update.invalidAll(
    'maxUnavailable',
    intOrPercentProblems(maxUnavailable),
    shownAmount(maxUnavailable),
  )
  update.invalidAll('maxSurge', intOrPercentProblems(maxSurge), shownAmount(maxSurge))
  if (intOrPercentValue(maxUnavailable) === 0 && intOrPercentValue(maxSurge) === 0) {
    update.invalid(
      'maxUnavailable',
      'may not be 0 when `maxSurge` is 0',
      shownIntOrString(maxUnavailable),
    )
  }
  update.invalidAll(
    'maxUnavailable',
    percentBoundProblems(maxUnavailable),
    shownAmount(maxUnavailable),
  )
}
