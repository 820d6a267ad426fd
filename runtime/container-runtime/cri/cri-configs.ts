/** What sandboxes and containers are made of, in the messages of CRI. */
import type { ContainerConfig, PodSandboxConfig } from '../contract/container.ts'
import type { Message } from './message-fields.ts'
import type { calls } from './messages.ts'

/** Keeps what CRI does not give back; whatever has no such annotation was not made here. */
export const configKey = 'orch.container-runtime/config'
const podNetwork = 0
const nodeNetwork = 2
const ownProcesses = 1
const usualProfile = { profileType: 0 }

type Sandbox = NonNullable<Message<(typeof calls.RunPodSandbox)[0]>['config']>
type Container = NonNullable<Message<(typeof calls.CreateContainer)[0]>['config']>

/** The message of a sandbox. */
export function sandboxMessage(config: PodSandboxConfig): Sandbox {
  const { name, namespace, uid, attempt, hostname, logDirectory, labels, hostNetwork } = config
  return {
    ...{ metadata: { name, namespace, uid, attempt }, logDirectory },
    // A pod with the network of the node has its host name, too.
    hostname: hostNetwork ? '' : hostname,
    labels,
    annotations: { ...config.annotations, [configKey]: JSON.stringify(config) },
    linux: {
      securityContext: { namespaceOptions: namespaces(hostNetwork), seccomp: usualProfile },
    },
  }
}

/** The message of a container. */
export function containerMessage(config: ContainerConfig, hostNetwork: boolean): Container {
  const { name, attempt, image, command, args, environment, mounts, logPath, tty, stdin } = config
  const { environment: _, ...kept } = config
  const { uid, gid, supplementalGroups = [], noNewPrivileges = false } = config.user
  return {
    ...{ metadata: { name, attempt }, image: { image }, command, args, mounts, logPath, tty },
    workingDir: config.workingDirectory,
    envs: environment.map(([key, value]) => ({ key, value })),
    labels: config.labels,
    annotations: { ...config.annotations, [configKey]: JSON.stringify(kept) },
    stdin: stdin !== 'none',
    stdinOnce: stdin === 'once',
    linux: {
      securityContext: {
        namespaceOptions: namespaces(hostNetwork),
        seccomp: usualProfile,
        ...(uid !== undefined && { runAsUser: { value: uid } }),
        ...(gid !== undefined && { runAsGroup: { value: gid } }),
        ...(config.user.dropsAllCapabilities && { capabilities: { drop: ['ALL'] } }),
        readonlyRootfs: config.readonlyRoot,
        supplementalGroups,
        noNewPrivs: noNewPrivileges,
      },
    },
  }
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

function namespaces(hostNetwork: boolean) {
  return { network: hostNetwork ? nodeNetwork : podNetwork, pid: ownProcesses, ipc: podNetwork }
}
