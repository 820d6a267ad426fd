import type { Pod, PodSpec, PodStatus } from '../../../../generated/apis/core/v1/pod.ts'
import type { Volume } from '../../../../generated/apis/core/v1/volume.ts'
import { change, changeAll } from '../../../kernel/values/change.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import {
  eachContainer,
  withHostPorts,
  withPullPolicy,
  withRequests,
  withTermination,
} from './containers.ts'

/** Defaults of a Pod: those of every pod spec, and those that templates leave to the pods made from them. */
export const podDefaults: Strategy<Pod> = {
  defaults: (pod) =>
    change(pod, {
      spec: pod.spec && defaultPod(defaultPodSpec(pod.spec)),
      status: pod.status && withAddresses(pod.status),
    }),
}

function defaultPod(spec: Loose<PodSpec>): Loose<PodSpec> {
  const ports = spec.hostNetwork === true ? [withHostPorts] : []
  const { terminationGracePeriodSeconds: grace } = spec
  return change(spec, {
    ...(grace !== undefined && grace < 0 && { terminationGracePeriodSeconds: 1 }),
    containers: eachContainer(spec.containers, withRequests, ...ports),
    initContainers: eachContainer(spec.initContainers, withRequests, ...ports),
    enableServiceLinks: spec.enableServiceLinks ?? true,
  })
}

/** Defaults of every pod spec, in pods and in templates. */
export function defaultPodSpec(spec: Loose<PodSpec>): Loose<PodSpec> {
  const account = spec.serviceAccountName || spec.serviceAccount || undefined
  return change(spec, {
    volumes: changeAll(spec.volumes, withSource),
    containers: eachContainer(spec.containers, withPullPolicy),
    initContainers: eachContainer(spec.initContainers, withPullPolicy),
    ephemeralContainers: eachContainer(spec.ephemeralContainers, withPullPolicy, withTermination),
    serviceAccountName: account,
    serviceAccount: account,
  })
}

/** A volume without a source is an empty directory. */
function withSource(volume: Loose<Volume>): Loose<Volume> {
  const sourced = Object.entries(volume).some(
    ([key, value]) => key !== 'name' && value !== undefined,
  )
  return sourced ? volume : { ...volume, emptyDir: {} }
}

/** `podIP` is the first of `podIPs`; of two that differ, the single one wins. */
function withAddresses(status: Loose<PodStatus>): Loose<PodStatus> {
  const { podIP, podIPs } = status
  const first = podIP ?? podIPs?.[0]?.ip
  if (first === undefined || (podIP === first && podIPs?.[0]?.ip === first)) return status
  return { ...status, podIP: first, podIPs: podIPs?.[0]?.ip === first ? podIPs : [{ ip: first }] }
}
