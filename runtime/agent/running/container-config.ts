/** What a container of a pod is made of. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Container } from '../../../generated/apis/core/v1/container.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type {
  ContainerConfig,
  Mount,
  PodSandboxStatus,
} from '../../container-runtime/container-runtime.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { specOf } from '../../pods/pods.ts'
import { environmentOf } from '../containers/environment.ts'
import { expand } from '../containers/expand.ts'
import { hostsFile } from '../containers/hosts-file.ts'
import { containerResources } from '../containers/resources.ts'
import { securityOf } from '../containers/security.ts'
import { mountsOf, type VolumePaths } from '../volumes/pod-volumes.ts'
import { pinMounts } from '../volumes/volume-parts.ts'
import type { AgentFacts } from './agent-facts.ts'
import { hostnameOf } from './sandbox-config.ts'

/** What is started, and where. */
export interface Start {
  readonly pod: Stored<Pod>
  readonly container: Container
  readonly attempt: number
  readonly sandbox: PodSandboxStatus
  /** The folder of the pod. */
  readonly folder: string
  readonly volumes: VolumePaths
  /** A container whose processes it sees. */
  readonly beside?: string
}

const hostsPath = '/etc/hosts'

/** The file to which a container writes why it ended. */
export function messageFile(folder: string, name: string, attempt: number): string {
  return join(folder, 'containers', name, String(attempt))
}

/** What the runtime makes of a start. @throws ConfigError or VolumeError for what cannot be had. */
export async function containerConfig(start: Start, facts: AgentFacts): Promise<ContainerConfig> {
  const { pod, container, attempt, beside } = start
  const { name, image = '', command = [], args = [], workingDir = '' } = container
  const first = new Map([
    ['HOSTNAME', hostnameOf(pod)],
    ...facts.serviceVariables(pod.metadata.namespace, specOf(pod).enableServiceLinks !== false),
  ])
  const environment = await environmentOf({
    ...{ pod, container, objects: facts.objects, hostIP: facts.address },
    ...{ allocatable: facts.allocatable, first, podIPs: start.sandbox.ips },
  })
  const expanded = (words: readonly string[]) => words.map((word) => expand(word, environment))
  return {
    ...{ name, attempt, image, workingDirectory: workingDir },
    ...{ command: expanded(command), args: expanded(args) },
    environment: [...environment],
    mounts: mountsFor(start, facts, environment),
    labels: {},
    annotations: {},
    logPath: `${name}/${attempt}.log`,
    ...securityOf(specOf(pod), container, facts.security),
    resources: containerResources(container, specOf(pod), facts.limits),
    ...(beside !== undefined && { beside }),
    tty: container.tty === true,
    stdin: container.stdin ? (container.stdinOnce ? 'once' : 'kept') : 'none',
  }
}

function mountsFor(
  { pod, container, attempt, sandbox, folder, volumes }: Start,
  { runtime, address, dns }: AgentFacts,
  environment: ReadonlyMap<string, string>,
): readonly Mount[] {
  const asked = mountsOf(container, volumes, environment, specOf(pod).volumes ?? [])
  const own = runtime.checksMounts ? asked : pinMounts(asked, join(folder, 'parts', container.name))
  if (!runtime.mounts) return own.filter(({ containerPath }) => !isAccount(containerPath))
  const message = messageFile(folder, container.name, attempt)
  mkdirSync(dirname(message), { recursive: true })
  writeFileSync(message, '', { mode: 0o666 })
  const containerPath = container.terminationMessagePath ?? '/dev/termination-log'
  const hosts = join(folder, 'etc-hosts')
  const { subdomain } = specOf(pod)
  const hostname = hostnameOf(pod)
  const { namespace } = pod.metadata
  const full = subdomain ? [`${hostname}.${subdomain}.${namespace}.svc.${dns.clusterDomain}`] : []
  const ips = sandbox.ips.length > 0 ? sandbox.ips : [address]
  writeFileSync(hosts, hostsFile(pod, [...full, hostname], ips, hostsOfNode))
  return [
    ...own,
    ...(own.some((mount) => mount.containerPath === hostsPath)
      ? []
      : [{ hostPath: hosts, containerPath: hostsPath, readonly: false }]),
    { hostPath: message, containerPath, readonly: false },
  ]
}

/** Every pod has the files of its account, which it has not asked for. */
function isAccount(path: string): boolean {
  return path.startsWith('/var/run/secrets/')
}

function hostsOfNode(): string {
  try {
    return readFileSync(hostsPath, 'utf8')
  } catch {
    return ''
  }
}
