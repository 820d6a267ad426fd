import type { Pod, PodSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type { Volume } from '../../../../generated/apis/core/v1/volume.ts'
import { change } from '../../../kernel/values/change.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import { qosClassOf } from '../../../pods/pods.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { checkPulledImage } from './container.ts'
import { podAnnotationProblems } from './pod-annotations.ts'
import { checkPodStatus } from './pod-status.ts'
import { checkEphemeral, checkPodUpdate } from './pod-update.ts'
import { hostnameWarnings, podWarnings } from './pod-warnings.ts'

/** What is said of a new pod that has gates. */
const heldBack = {
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: null,
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
}

/**
 * A pod begins pending, in the quality class of its requests; afterwards hardly anything of its
 * spec may change.
 * Status as it was sent is dropped (supplement I-02). Warnings are for new pods only. Any
 * subresource is checked for ephemeral containers alone.
 */
export const podLifecycle: Strategy<Pod> = {
  prepareCreate: (pod) =>
    change(pod, {
      status: {
        phase: 'Pending',
        qosClass: qosClassOf(pod.spec ?? {}),
        ...(pod.spec?.schedulingGates?.length && { conditions: [heldBack] }),
      },
    }),
  warn(pod, old, { platform }) {
    if (old !== undefined) return []
    const name = hostnameWarnings(pod.metadata?.name, "the Pod's hostname")
    return [...name, ...podWarnings('', pod, platform.domain)]
  },
  check(pod, { subresource }) {
    const spec = pod.child('spec')
    const { annotations } = pod.value.metadata ?? {}
    for (const { at, value, why } of podAnnotationProblems(annotations, spec.value)) {
      pod.invalid(`metadata.annotations${at}` as 'metadata', why, value)
    }
    pod.visit('spec')
    checkRunnable(spec)
    if (spec.old === undefined) checkNew(spec)
    else if (subresource === undefined) checkPodUpdate(pod, spec.old)
    else checkEphemeral(spec, spec.old)
  },
  checkStatus: checkPodStatus,
}

/** What holds for a pod and not for a template: it is about to run as it is. Told after all else of its containers and volumes. */
function checkRunnable(spec: Field<PodSpec>): void {
  spec.each('ephemeralContainers', checkPulledImage)
  spec.afterwards(() => {
    if (!spec.value.serviceAccountName) spec.each('volumes', forbidTokens)
    spec.each('containers', checkPulledImage)
    spec.each('initContainers', checkPulledImage)
  })
}

/** Without a service account no token can be made. */
function forbidTokens(volume: Field<Volume>): void {
  volume.child('projected').each('sources', (source) => {
    if (source.value.serviceAccountToken === undefined) return
    const why = 'must not be specified when serviceAccountName is not set'
    source.forbidden('serviceAccountToken', why)
  })
}

/** What a pod may have later and not from the beginning. */
function checkNew(spec: Field<PodSpec>): void {
  const { nodeName, schedulingGates, ephemeralContainers } = spec.value
  spec.afterwards(() => {
    if (ephemeralContainers?.length) {
      spec.forbidden('ephemeralContainers', 'cannot be set on create')
    }
    if (nodeName && schedulingGates?.length) {
      spec.forbidden('nodeName', 'cannot be set until all schedulingGates have been cleared')
    }
  })
}
