/** How a DaemonSet replaces its pods. */

import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { change } from '../strategy/change.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { invalid, required } from '../types/field-errors.ts'
import { checkIntOrPercent, checkPercentBound, intOrPercentValue } from '../types/int-or-percent.ts'
import type { IntOrString, PodTemplate } from '../types/shapes.ts'

interface RollingUpdate {
  readonly maxUnavailable?: IntOrString
  readonly maxSurge?: IntOrString
}

/** What the rules and cells of DaemonSet look at. */
export interface DaemonSet extends ApiObject {
  readonly spec?: {
    readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: RollingUpdate }
    readonly template?: PodTemplate
  }
  readonly status?: Readonly<Record<string, number | undefined>>
}

/** The annotation that counts the templates a daemon set has had (supplement I-31). */
const generation = 'deprecated.daemonset.template.generation'

/** Pods are replaced node by node by default; an annotation counts the changes of the template. */
export const daemonSet: Strategy = {
  defaults: (object) => withBounds(object as DaemonSet),
  prepareCreate: (object) => counted(object, 1),
  prepareUpdate(object, old) {
    const before = Number(old.metadata.annotations?.[generation] ?? '1') || 1
    const [now, then] = [object, old].map((each) => (each as DaemonSet).spec?.template)
    return counted(object, deepEqual(now, then) ? before : before + 1)
  },
  validate: (object) => checkStrategy(object as DaemonSet),
}

function withBounds(object: DaemonSet): DaemonSet {
  const { spec } = object
  const strategy = spec?.updateStrategy ?? {}
  if (spec === undefined || (strategy.type ?? 'RollingUpdate') !== 'RollingUpdate') return object
  const given = strategy.rollingUpdate ?? {}
  const rollingUpdate = change(given, {
    maxUnavailable: given.maxUnavailable ?? 1,
    maxSurge: given.maxSurge ?? 0,
  })
  return change(object, {
    spec: change(spec, { updateStrategy: change(strategy, { rollingUpdate }) }),
  })
}

function counted(object: ApiObject, count: number): ApiObject {
  const { metadata } = object
  const annotations = { ...metadata.annotations, [generation]: String(count) }
  return { ...object, metadata: { ...metadata, annotations } }
}

function checkStrategy({ spec }: DaemonSet): readonly FieldError[] {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {}
  if (type !== 'RollingUpdate' || rollingUpdate === undefined) return []
  const { maxUnavailable = 1, maxSurge = 0 } = rollingUpdate
  const path = 'spec.updateStrategy.rollingUpdate'
  const [gone, extra] = [intOrPercentValue(maxUnavailable), intOrPercentValue(maxSurge)]
  const twice = 'may not be set when maxUnavailable is non-zero'
  return [
    ...checkIntOrPercent(`${path}.maxUnavailable`, maxUnavailable),
    ...checkIntOrPercent(`${path}.maxSurge`, maxSurge),
    ...checkPercentBound(`${path}.maxUnavailable`, maxUnavailable),
    ...checkPercentBound(`${path}.maxSurge`, maxSurge),
    ...(gone !== 0 && extra !== 0 ? [invalid(`${path}.maxSurge`, maxSurge, twice)] : []),
    ...(gone === 0 && extra === 0
      ? [required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')]
      : []),
  ]
}
