import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Container } from '../../../generated/apis/core/v1/container.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import {
  type ContainerConfig,
  type ContainerUser,
  isRuntimeError,
  type Mount,
  type PodSandboxStatus,
} from '../../container-runtime/container-runtime.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { specOf } from '../../pods/pods.ts'
import { ConfigError } from '../containers/config-error.ts'
import { environmentOf } from '../containers/environment.ts'
import { expand } from '../containers/expand.ts'
import { mountsOf, type VolumePaths } from '../volumes/pod-volumes.ts'
import type { AgentFacts } from './agent-facts.ts'

/** What keeps a container from running, as its status says it. */
export class StartProblem extends Error {
  override readonly name = 'StartProblem'
  readonly reason: string

  constructor(reason: string, message: string) {
    super(message)
    this.reason = reason
  }
}

/** What is started, and where. */
export interface Start {
  readonly pod: Stored<Pod>
  readonly container: Container
  readonly attempt: number
  readonly sandbox: PodSandboxStatus
  /** The folder of the pod. */
  readonly folder: string
  readonly volumes: VolumePaths
}

/** Makes and starts a container whose image is there. Resolves to its id. @throws StartProblem. */
export async function startContainer(start: Start, facts: AgentFacts): Promise<string> {
  const { runtime, sink } = facts
  const { pod, container, sandbox } = start
  const { name } = container
  let id: string
  try {
    const config = await configOf(start, facts)
    id = await runtime.createContainer(sandbox.id, config)
  } catch (error) {
    const reason =
      error instanceof ConfigError ? 'CreateContainerConfigError' : 'CreateContainerError'
    throw new StartProblem(reason, errorText(error))
  }
  sink.tellEvent(pod, { type: 'Normal', reason: 'Created', message: `Created container ${name}` })
  try {
    await runtime.startContainer(id)
  } catch (error) {
    throw new StartProblem('RunContainerError', errorText(error))
  }
  sink.tellEvent(pod, { type: 'Normal', reason: 'Started', message: `Started container ${name}` })
  return id
}

/** The file to which a container writes why it ended. */
export function messageFile(folder: string, name: string, attempt: number): string {
  return join(folder, 'containers', name, String(attempt))
}

async function configOf(start: Start, facts: AgentFacts): Promise<ContainerConfig> {
  const { pod, container, attempt, folder, volumes } = start
  const { name, image = '', command = [], args = [], workingDir = '' } = container
  const first = new Map([
    ['HOSTNAME', hostnameOf(pod)],
    ...facts.serviceVariables(pod.metadata.namespace),
  ])
  const environment = await environmentOf({
    ...{ pod, container, objects: facts.objects, hostIP: facts.address },
    ...{ allocatable: facts.allocatable, first },
  })
  const security = { ...specOf(pod).securityContext, ...container.securityContext }
  const expanded = (words: readonly string[]) => words.map((word) => expand(word, environment))
  return {
    ...{ name, attempt, image, workingDirectory: workingDir },
    ...{ command: expanded(command), args: expanded(args) },
    environment: [...environment],
    mounts: allMounts(),
    labels: {},
    annotations: {},
    logPath: `${name}/${attempt}.log`,
    readonlyRoot: security.readOnlyRootFilesystem === true,
    user: userOf(pod, container),
    tty: container.tty === true,
    stdin: container.stdin ? (container.stdinOnce ? 'once' : 'kept') : 'none',
  }

  function allMounts(): readonly Mount[] {
    const { runtime } = facts
    const own = mountsOf(container, volumes, environment)
    if (!runtime.mounts) return own.filter(({ containerPath }) => !isAccount(containerPath))
    const message = messageFile(folder, name, attempt)
    mkdirSync(dirname(message), { recursive: true })
    writeFileSync(message, '', { mode: 0o666 })
    const containerPath = container.terminationMessagePath ?? '/dev/termination-log'
    return [...own, { hostPath: message, containerPath, readonly: false }]
  }

  /** Every pod has the files of its account, which it has not asked for. */
  function isAccount(path: string): boolean {
    return path.startsWith('/var/run/secrets/')
  }
}

/** The name of a pod to itself. */
export function hostnameOf(pod: Stored<Pod>): string {
  return (specOf(pod).hostname || pod.metadata.name).slice(0, 63).replace(/[-.]+$/, '')
}

function userOf(pod: Stored<Pod>, { securityContext: own = {} }: Container): ContainerUser {
  const { securityContext: all = {} } = specOf(pod)
  const uid = own.runAsUser ?? all.runAsUser
  const gid = own.runAsGroup ?? all.runAsGroup
  if ((own.runAsNonRoot ?? all.runAsNonRoot) && (uid ?? 0) === 0) {
    throw new ConfigError(
      uid === undefined
        ? 'container has runAsNonRoot and image will run as root'
        : "container's runAsUser breaks non-root policy",
    )
  }
  const groups = [...(all.supplementalGroups ?? []), ...(all.fsGroup ? [all.fsGroup] : [])]
  return {
    ...(uid !== undefined && { uid: Number(uid) }),
    ...(gid !== undefined && { gid: Number(gid) }),
    ...(groups.length > 0 && { supplementalGroups: groups.map(Number) }),
    ...(own.allowPrivilegeEscalation === false && { noNewPrivileges: true }),
    ...(own.capabilities?.drop?.includes('ALL') && { dropsAllCapabilities: true }),
  }
}

/** Sees to it that the image of a container is there. @throws StartProblem. */
export async function ensureImage(
  pod: Stored<Pod>,
  container: Container,
  { runtime, sink, clock }: AgentFacts,
): Promise<void> {
  const { image = '', imagePullPolicy = 'IfNotPresent' } = container
  const quoted = JSON.stringify(image)
  const tell = (reason: string, message: string) =>
    sink.tellEvent(pod, { type: 'Normal', reason, message })
  if (imagePullPolicy !== 'Always' && (await runtime.imageStatus(image)) !== undefined) {
    tell('Pulled', `Container image ${quoted} already present on machine`)
    return
  }
  if (imagePullPolicy === 'Never') {
    const why = `Container image ${quoted} is not present with pull policy of Never`
    throw new StartProblem('ErrImageNeverPull', why)
  }
  tell('Pulling', `Pulling image ${quoted}`)
  const began = clock.monotonic()
  try {
    await runtime.pullImage(image)
  } catch (error) {
    const isGone = isRuntimeError(error, 'Unavailable')
    throw new StartProblem(isGone ? 'RegistryUnavailable' : 'ErrImagePull', errorText(error))
  }
  const ms = Math.round(clock.monotonic() - began)
  tell('Pulled', `Successfully pulled image ${quoted} in ${ms}ms (${ms}ms including waiting)`)
}
