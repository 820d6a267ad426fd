/** How a Deployment replaces its pods. */
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
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
  const stuck = amount(maxUnavailable) === 0 && amount(maxSurge) === 0
  const over = percent(maxUnavailable) > 100
  return [
    ...checkAmount(`${path}.maxUnavailable`, maxUnavailable),
    ...checkAmount(`${path}.maxSurge`, maxSurge),
    ...(stuck
      ? [invalid(`${path}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...(over
      ? [invalid(`${path}.maxUnavailable`, maxUnavailable, 'must not be greater than 100%')]
      : []),
  ]
}

/** The number of an amount, or of its percentage. */
function amount(value: IntOrString): number {
  return typeof value === 'number' ? value : percent(value)
}

function percent(value: IntOrString): number {
  return typeof value === 'string' && /^[0-9]{1,9}%$/.test(value)
    ? Number(value.slice(0, -1))
    : Number.NaN
}

function checkAmount(at: string, value: IntOrString): readonly Finding[] {
  if (typeof value === 'number') {
    return value < 0 ? [invalid(at, value, 'must be greater than or equal to 0')] : []
  }
  if (!Number.isNaN(percent(value))) return []
  const rule =
    "a valid percent string must be a numeric string followed by an ending '%' " +
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
  return [invalid(at, value, rule)]
}

function checkDeadline(spec: Deployment['spec']): readonly Finding[] {
  const { progressDeadlineSeconds: deadline = unlimited, minReadySeconds = 0 } = spec ?? {}
  if (deadline > minReadySeconds) return []
  return [invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')]
}
