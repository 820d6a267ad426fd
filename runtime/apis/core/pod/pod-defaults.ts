/** What a pod leaves out and other fields say. */

import { change, changeAll } from '../../strategy/change.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import type { Pod, PodSpec, PodStatus, Volume } from '../../types/shapes.ts'
import {
  eachContainer,
  withHostPorts,
  withPullPolicy,
  withRequests,
  withTermination,
} from './containers.ts'

/** Defaults of a Pod: those of every pod spec, and those that templates leave to the pods made from them. */
export const podDefaults: Strategy = {
  defaults(object) {
    const { spec, status } = object as Pod
    return change(object as Pod, {
      spec: spec && defaultPod(defaultPodSpec(spec)),
      status: status && withAddresses(status),
    })
  },
}

function defaultPod(spec: PodSpec): PodSpec {
  const ports = spec.hostNetwork === true ? [withHostPorts] : []
  return change(spec, {
    containers: eachContainer(spec.containers, withRequests, ...ports),
    initContainers: eachContainer(spec.initContainers, withRequests, ...ports),
    enableServiceLinks: spec.enableServiceLinks ?? true,
  })
}

/** Defaults of every pod spec, in pods and in templates. */
export function defaultPodSpec(spec: PodSpec): PodSpec {
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
function withSource(volume: Volume): Volume {
  const sourced = Object.entries(volume).some(
    ([key, value]) => key !== 'name' && value !== undefined,
  )
  return sourced ? volume : { ...volume, emptyDir: {} }
}

/** `podIP` is the first of `podIPs`; of two that differ, the single one wins. */
function withAddresses(status: PodStatus): PodStatus {
  const { podIP, podIPs } = status
  const first = podIP ?? podIPs?.[0]?.ip
  if (first === undefined || (podIP === first && podIPs?.[0]?.ip === first)) return status
  return { ...status, podIP: first, podIPs: podIPs?.[0]?.ip === first ? podIPs : [{ ip: first }] }
}
