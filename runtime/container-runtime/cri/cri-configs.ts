/** What sandboxes and containers are made of, in the messages of CRI. */
import type {
  ContainerConfig,
  ContainerResources,
  PodSandboxConfig,
  SeccompProfile,
} from '../contract/container.ts'
import type { Message } from './message-fields.ts'
import type { calls } from './messages.ts'

/** Keeps what CRI does not give back; whatever has no such annotation was not made here. */
export const configKey = 'orch.container-runtime/config'
const ofPod = 0
const ofContainer = 1
const ofNode = 2
const otherProcesses = 3
const unconfined = 1
const ofFile = 2
const usualProfile = { profileType: 0 }
const protocols = ['TCP', 'UDP', 'SCTP'] as const
const propagations = [undefined, 'from node', 'both ways'] as const
/** What of /proc and /sys a container does not see, and does not write: runtimes hide nothing by themselves. */
const maskedPaths = [
  ...['/proc/asound', '/proc/acpi', '/proc/kcore', '/proc/keys', '/proc/latency_stats'],
  ...['/proc/timer_list', '/proc/timer_stats', '/proc/sched_debug', '/proc/scsi', '/sys/firmware'],
]
const readonlyPaths = [
  ...['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'],
]

type Sandbox = NonNullable<Message<(typeof calls.RunPodSandbox)[0]>['config']>
type Container = NonNullable<Message<(typeof calls.CreateContainer)[0]>['config']>

/** The message of a sandbox. */
export function sandboxMessage(config: PodSandboxConfig): Sandbox {
  const { name, namespace, uid, attempt, hostname, logDirectory, labels, hostNetwork } = config
  const { cgroupParent, dns, ports = [], sysctls = {}, privileged = false } = config
  return {
    ...{ metadata: { name, namespace, uid, attempt }, logDirectory, labels },
    // A pod with the network of the node has its host name, too.
    hostname: hostNetwork ? '' : hostname,
    annotations: { ...config.annotations, [configKey]: JSON.stringify(config) },
    ...(dns && { dnsConfig: dns }),
    portMappings: ports.map(({ protocol, containerPort, hostPort, hostIP = '' }) => ({
      ...{ protocol: protocols.indexOf(protocol), containerPort, hostPort, hostIp: hostIP },
    })),
    linux: {
      ...(cgroupParent !== undefined && { cgroupParent }),
      securityContext: { namespaceOptions: namespaces(config), seccomp: usualProfile, privileged },
      sysctls,
    },
  }
}

/** The message of a container of a sandbox. */
export function containerMessage(config: ContainerConfig, sandbox: PodSandboxConfig): Container {
  const { name, attempt, image, command, args, environment, mounts, logPath, tty, stdin } = config
  const { environment: _, ...kept } = config
  return {
    ...{ metadata: { name, attempt }, image: { image }, command, args, logPath, tty },
    mounts: mounts.map(({ propagation, identity: _, ...mount }) => ({
      ...mount,
      propagation: propagations.indexOf(propagation),
    })),
    workingDir: config.workingDirectory,
    envs: environment.map(([key, value]) => ({ key, value })),
    labels: config.labels,
    annotations: { ...config.annotations, [configKey]: JSON.stringify(kept) },
    stdin: stdin !== 'none',
    stdinOnce: stdin === 'once',
    linux: {
      ...(config.resources && { resources: resourcesMessage(config.resources) }),
      securityContext: securityMessage(config, sandbox),
    },
  }
}

function resourcesMessage({ memoryBytes, ...rest }: ContainerResources) {
  return { ...rest, ...(memoryBytes !== undefined && { memoryLimitInBytes: memoryBytes }) }
}

function securityMessage(config: ContainerConfig, sandbox: PodSandboxConfig) {
  const { uid, gid, supplementalGroups = [], noNewPrivileges = false } = config.user
  const { addsCapabilities: add = [], dropsCapabilities: drop = [] } = config.user
  const { privileged = false, seccomp, readonlyRoot, beside, seesAllOfProc } = config
  return {
    namespaceOptions: {
      ...namespaces(sandbox),
      ...(beside !== undefined && { pid: otherProcesses, targetId: beside }),
    },
    seccomp: privileged ? { profileType: unconfined } : profileOf(seccomp),
    ...(uid !== undefined && { runAsUser: { value: uid } }),
    ...(gid !== undefined && { runAsGroup: { value: gid } }),
    ...(add.length + drop.length > 0 && { capabilities: { add, drop } }),
    ...(!privileged && !seesAllOfProc && { maskedPaths, readonlyPaths }),
    ...{ privileged, readonlyRootfs: readonlyRoot, supplementalGroups },
    noNewPrivs: noNewPrivileges,
  }
}

function profileOf(profile: SeccompProfile | undefined) {
  if (profile === undefined || profile === 'RuntimeDefault') return usualProfile
  return profile === 'Unconfined'
    ? { profileType: unconfined }
    : { profileType: ofFile, localhostRef: profile.file }
}

/** What a sandbox or container was made of; undefined if it was not made here. */
export function keptConfig<T>(annotations: Readonly<Record<string, string>> = {}): T | undefined {
  const written = annotations[configKey]
  try {
    return written === undefined ? undefined : (JSON.parse(written) as T)
  } catch {
    return undefined
  }
}

function namespaces({ hostNetwork, processes, hostIPC }: PodSandboxConfig) {
  return {
    network: hostNetwork ? ofNode : ofPod,
    pid: processes === 'node' ? ofNode : processes === 'pod' ? ofPod : ofContainer,
    ipc: hostIPC ? ofNode : ofPod,
  }
}
