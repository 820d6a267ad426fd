/** What the sandbox of a pod is made of. */
import { join } from 'node:path'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { PodSandboxConfig, PortMapping } from '../../container-runtime/container-runtime.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { containersOf, specOf } from '../../pods/pods.ts'
import { dnsOf } from '../containers/dns.ts'
import type { AgentFacts } from './agent-facts.ts'

/** The sandbox of a pod, for that attempt. */
export function sandboxConfig(
  pod: Stored<Pod>,
  attempt: number,
  handler: string,
  { dns, groups, logFolder }: Pick<AgentFacts, 'dns' | 'groups' | 'logFolder'>,
): PodSandboxConfig {
  const { name, namespace, uid, annotations = {}, labels = {} } = pod.metadata
  const spec = specOf(pod)
  const cgroupParent = groups?.of(pod)
  const sysctls = (spec.securityContext?.sysctls ?? []).map((one) => [one.name, one.value] as const)
  const privileged = containersOf(spec).some((one) => one.securityContext?.privileged === true)
  return {
    ...{ name, namespace, uid, attempt, labels, annotations, hostname: hostnameOf(pod) },
    logDirectory: podLogFolder(pod, logFolder),
    hostNetwork: spec.hostNetwork === true,
    dns: dnsOf(pod, dns),
    ...(spec.hostPID && { processes: 'node' as const }),
    ...(!spec.hostPID && spec.shareProcessNamespace && { processes: 'pod' as const }),
    ...(spec.hostIPC && { hostIPC: true }),
    ...(cgroupParent !== undefined && { cgroupParent: `/${cgroupParent}` }),
    ...(!spec.hostNetwork && { ports: portsOf(pod) }),
    ...(sysctls.length > 0 && { sysctls: Object.fromEntries(sysctls) }),
    ...(privileged && { privileged }),
    ...(handler !== '' && { handler }),
  }
}

/** The folder of the logs of a pod. */
export function podLogFolder({ metadata }: Pick<Stored<Pod>, 'metadata'>, logs: string): string {
  const { name, namespace, uid } = metadata
  return join(logs, `${namespace}_${name}_${uid}`)
}

/** The name of a pod to itself. */
export function hostnameOf(pod: Stored<Pod>): string {
  return (specOf(pod).hostname || pod.metadata.name).slice(0, 63).replace(/[-.]+$/, '')
}

function portsOf(pod: Stored<Pod>): readonly PortMapping[] {
  return containersOf(specOf(pod)).flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, containerPort, protocol = 'TCP', hostIP = '' }) =>
      hostPort === 0
        ? []
        : [{ hostPort, containerPort, protocol, ...(hostIP !== '' && { hostIP }) }],
    ),
  )
}
