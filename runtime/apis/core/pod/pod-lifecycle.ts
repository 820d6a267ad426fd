/** The life of a pod: how it begins and what may change of it. */
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { change } from '../../strategy/change.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { forbidden } from '../../types/field-errors.ts'
import type { Pod, PodSpec } from '../../types/shapes.ts'
import { checkPodSpec } from './pod-spec.ts'
import { checkEphemeral, checkPodUpdate } from './pod-update.ts'
import { podSpecWarnings } from './pod-warnings.ts'
import { qosClassOf } from './qos-class.ts'

/** A pod begins pending, in the quality class of its requests; afterwards hardly anything of its spec may change. */
export const podLifecycle: Strategy = {
  prepareCreate(object) {
    const pod = object as Pod
    return change(pod, { status: { phase: 'Pending', qosClass: qosClassOf(pod.spec ?? {}) } })
  },
  warn(object, old) {
    return old === undefined ? podSpecWarnings('spec', (object as Pod).spec) : []
  },
  validate(object, old, { subresource }) {
    const { spec = {} } = object as Pod
    const before = (old as Pod | undefined)?.spec
    return [
      ...checkPodSpec('spec', spec),
      ...(before ? checkChange(spec, before, subresource) : checkNew(spec)),
    ]
  },
}

/** What a pod may have later and not from the beginning. */
function checkNew({
  nodeName,
  schedulingGates,
  ephemeralContainers,
}: PodSpec): readonly FieldError[] {
  const debugged = (ephemeralContainers?.length ?? 0) > 0
  const waiting = (schedulingGates?.length ?? 0) > 0
  const waits = 'cannot be set until all schedulingGates have been cleared'
  return [
    ...(debugged ? [forbidden('spec.ephemeralContainers', 'cannot be set on create')] : []),
    ...(nodeName && waiting ? [forbidden('spec.nodeName', waits)] : []),
  ]
}

function checkChange(spec: PodSpec, old: PodSpec, subresource: string | undefined) {
  if (subresource === undefined) return checkPodUpdate(spec, old)
  return checkEphemeral(spec.ephemeralContainers ?? [], old.ephemeralContainers ?? [])
}
