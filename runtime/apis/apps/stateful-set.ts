/** How a StatefulSet replaces its pods, and what of it may change. */

import type { ApiObject } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { change } from '../strategy/change.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { forbidden, invalid } from '../types/field-errors.ts'
import { checkIntOrPercent, checkPercentBound } from '../types/int-or-percent.ts'
import type { IntOrString } from '../types/shapes.ts'

interface RollingUpdate {
  readonly partition?: number
  readonly maxUnavailable?: IntOrString
}

interface Spec {
  readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: RollingUpdate }
  readonly replicas?: number
  readonly ordinals?: object
  readonly template?: object
  readonly persistentVolumeClaimRetentionPolicy?: object
  readonly minReadySeconds?: number
}

interface StatefulSet extends ApiObject {
  readonly spec?: Spec
}

const others =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
  "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"

/**
 * Pods are updated one by one by default. What decides the pods' names and storage never changes (supplement I-13).
 */
export const statefulSet: Strategy = {
  defaults: (object) => withStrategy(object as StatefulSet),
  validate(object, old) {
    const spec = (object as StatefulSet).spec ?? {}
    const before = (old as StatefulSet | undefined)?.spec ?? {}
    const changed = old !== undefined && !deepEqual(fixedPart(spec), fixedPart(before))
    return [...checkStrategy(spec), ...(changed ? [forbidden('spec', others)] : [])]
  },
}

/** A strategy whose type was left out is a rolling update from the first pod on. */
function withStrategy(object: StatefulSet): StatefulSet {
  const { spec } = object
  if (spec === undefined) return object
  const { type, rollingUpdate } = spec.updateStrategy ?? {}
  const update = rollingUpdate ?? (type ? undefined : {})
  const rolling = !type || type === 'RollingUpdate'
  const strategy = change(spec.updateStrategy ?? {}, {
    type: type || 'RollingUpdate',
    rollingUpdate:
      update && rolling ? change(update, { partition: update.partition ?? 0 }) : rollingUpdate,
  })
  return change(object, { spec: change(spec, { updateStrategy: strategy }) })
}

function checkStrategy({ updateStrategy: { type, rollingUpdate } = {} }: Spec) {
  const path = 'spec.updateStrategy.rollingUpdate'
  if (rollingUpdate === undefined) return []
  if (type === 'OnDelete') {
    return [invalid(path, rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'")]
  }
  const { maxUnavailable } = rollingUpdate
  if (maxUnavailable === undefined) return []
  return [
    ...checkIntOrPercent(`${path}.maxUnavailable`, maxUnavailable),
    ...checkPercentBound(`${path}.maxUnavailable`, maxUnavailable),
  ]
}

/** What is left of a spec without the fields that may change. */
function fixedPart(spec: Spec): object {
  return {
    ...spec,
    replicas: undefined,
    ordinals: undefined,
    template: undefined,
    updateStrategy: undefined,
    persistentVolumeClaimRetentionPolicy: undefined,
    minReadySeconds: undefined,
  }
}
