/** How a Deployment replaces its pods. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { change } from '../strategy/change.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { forbidden, invalid } from '../types/field-errors.ts'
import { checkIntOrPercent, checkPercentBound, intOrPercentValue } from '../types/int-or-percent.ts'
import type { IntOrString } from '../types/shapes.ts'

interface RollingUpdate {
  readonly maxUnavailable?: IntOrString
  readonly maxSurge?: IntOrString
}

interface Deployment extends ApiObject {
  readonly spec?: {
    readonly strategy?: { readonly type?: string; readonly rollingUpdate?: RollingUpdate }
    readonly minReadySeconds?: number
    readonly progressDeadlineSeconds?: number
  }
}

const quarter = '25%'
const unlimited = 2147483647

/** A rolling update moves a quarter of the pods at a time by default, and always at least one. */
export const deploymentStrategy: Strategy = {
  defaults: (object) => withBounds(object as Deployment),
  validate(object) {
    const { spec } = object as Deployment
    return [...checkStrategy(spec?.strategy), ...checkDeadline(spec)]
  },
}

function withBounds(object: Deployment): Deployment {
  const strategy = object.spec?.strategy ?? {}
  const { type = 'RollingUpdate', rollingUpdate: given = {} } = strategy
  if (type !== 'RollingUpdate') return object
  const { maxUnavailable = quarter, maxSurge = quarter } = given
  const rollingUpdate =
    strategy.rollingUpdate === undefined
      ? { maxUnavailable, maxSurge }
      : change(given, { maxUnavailable, maxSurge })
  const spec = change(object.spec ?? {}, { strategy: change(strategy, { type, rollingUpdate }) })
  return change(object, { spec })
}

const path = 'spec.strategy.rollingUpdate'

function checkStrategy(
  strategy: NonNullable<Deployment['spec']>['strategy'],
): readonly FieldError[] {
  const { type, rollingUpdate } = strategy ?? {}
  if (rollingUpdate === undefined) return []
  if (type === 'Recreate') {
    return [forbidden(path, "may not be specified when strategy `type` is 'Recreate'")]
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate
  const stuck = intOrPercentValue(maxUnavailable) === 0 && intOrPercentValue(maxSurge) === 0
  return [
    ...checkIntOrPercent(`${path}.maxUnavailable`, maxUnavailable),
    ...checkIntOrPercent(`${path}.maxSurge`, maxSurge),
    ...(stuck
      ? [invalid(`${path}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...checkPercentBound(`${path}.maxUnavailable`, maxUnavailable),
  ]
}

function checkDeadline(spec: Deployment['spec']): readonly FieldError[] {
  const { progressDeadlineSeconds: deadline = unlimited, minReadySeconds = 0 } = spec ?? {}
  if (deadline > minReadySeconds) return []
  return [invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')]
}
