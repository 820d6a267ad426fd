/** How a Deployment replaces its pods. */
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { amountOf, checkAmount, checkShare } from './amounts.ts'
import { change } from './change.ts'
import { forbidden, invalid } from './findings.ts'
import type { Rule } from './kinds.ts'
import type { IntOrString } from './shapes.ts'

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
export const deploymentStrategy: Rule = {
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

function checkStrategy(strategy: NonNullable<Deployment['spec']>['strategy']): readonly Finding[] {
  const { type, rollingUpdate } = strategy ?? {}
  if (rollingUpdate === undefined) return []
  if (type === 'Recreate') {
    return [forbidden(path, "may not be specified when strategy `type` is 'Recreate'")]
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate
  const stuck = amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0
  return [
    ...checkAmount(`${path}.maxUnavailable`, maxUnavailable),
    ...checkAmount(`${path}.maxSurge`, maxSurge),
    ...(stuck
      ? [invalid(`${path}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...checkShare(`${path}.maxUnavailable`, maxUnavailable),
  ]
}

function checkDeadline(spec: Deployment['spec']): readonly Finding[] {
  const { progressDeadlineSeconds: deadline = unlimited, minReadySeconds = 0 } = spec ?? {}
  if (deadline > minReadySeconds) return []
  return [invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')]
}
