/** The life of a pod: how it begins and what may change of it. */
import { change } from './change.ts'
import type { Rule } from './kinds.ts'
import { checkPodSpec } from './pod-spec.ts'
import { checkPodUpdate } from './pod-update.ts'
import { qualityOf } from './quality.ts'
import type { Pod } from './shapes.ts'

/** A pod begins pending, in the quality class of its requests; afterwards hardly anything of its spec may change. */
export const podLifecycle: Rule = {
  prepareCreate(object) {
    const pod = object as Pod
    return change(pod, { status: { phase: 'Pending', qosClass: qualityOf(pod.spec ?? {}) } })
  },
  validate(object, old) {
    const { spec = {} } = object as Pod
    const before = (old as Pod | undefined)?.spec
    return [...checkPodSpec('spec', spec), ...(before ? checkPodUpdate(spec, before) : [])]
  },
}
