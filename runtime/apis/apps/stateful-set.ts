/** How a StatefulSet replaces its pods, and what of it may change. */
import type {
  StatefulSet,
  StatefulSetSpec,
  StatefulSetUpdateStrategy,
} from '../../../generated/apis/apps/v1/stateful-set.ts'
import { change } from '../../kernel/values/change.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { Field } from '../../kernel/walker/field.ts'
import type { Loose, LooseObject } from '../../kernel/walker/loose.ts'
import { claimWarnings } from '../core/volume/volume-warnings.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { warnedField } from '../strategy/warned-field.ts'

const changeable =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
  "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"

/**
 * Pods are updated one by one by default. What decides the pods' names and storage never changes
 * (supplement I-13).
 * Only that something else changed is reported, once, at the spec as a whole.
 */
export const statefulSet: Strategy<StatefulSet> = {
  defaults: withStrategy,
  warn({ spec }, old) {
    const templates = warnedField<StatefulSetSpec>(spec, 'spec').items('volumeClaimTemplates')
    return [...templates].flatMap((template, index) => {
      const path = `spec.volumeClaimTemplates[${index}]${old === undefined ? '' : '.Spec'}`
      return [...claimWarnings(warnedField(template.value.spec, path))]
    })
  },
  check(object, { gates }) {
    const spec = object.child('spec')
    checkStrategy(spec.child('updateStrategy'), gates.has('MaxUnavailableStatefulSet'))
    if (object.old === undefined) return
    if (!deepEqual(fixedPart(spec.value), fixedPart(spec.old ?? {}))) spec.forbidden('', changeable)
  },
}

/** A strategy whose type was left out is a rolling update from the first pod on. */
function withStrategy(object: LooseObject<StatefulSet>): LooseObject<StatefulSet> {
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

/** An absent struct is no error: for OnDelete there is nothing to say. */
function checkStrategy(strategy: Field<StatefulSetUpdateStrategy>, bounded: boolean) {
  const { type, rollingUpdate } = strategy.value
  if (type !== 'RollingUpdate' && type !== 'OnDelete') {
    strategy.passOver('')
    return strategy.invalid('', "must be 'RollingUpdate' or 'OnDelete'")
  }
  if (rollingUpdate === undefined) return
  if (type === 'OnDelete') {
    strategy.invalid('rollingUpdate', "only allowed for updateStrategy 'RollingUpdate'")
  } else if (bounded) strategy.child('rollingUpdate').visit('maxUnavailable')
}

/** What is left of a spec without the fields that may change. */
function fixedPart(spec: Loose<StatefulSetSpec>): object {
  const { replicas, ordinals, template, updateStrategy, minReadySeconds, ...rest } = spec
  return { ...rest, persistentVolumeClaimRetentionPolicy: undefined }
}
