import type { Duplex } from 'node:stream'
import { type Clock, keepAlive, pause } from '../../kernel/async/clock.ts'
import type {
  ContainerConfig,
  ContainerState,
  ContainerStats,
  ContainerStatus,
  PodSandboxConfig,
  PodSandboxStatus,
} from '../contract/container.ts'
import type { ContainerRuntime, ExecResult, RuntimeVersion } from '../contract/container-runtime.ts'
import type { Image, ImageCredentials, ImageFileSystem } from '../contract/image.ts'
import { isRuntimeError, RuntimeError } from '../contract/runtime-error.ts'
import type { AttachOptions, ContainerSession, ExecOptions } from '../contract/session.ts'
import { containerMessage, keptConfig, sandboxMessage } from './cri-configs.ts'
import { type CriConnection, connectCri } from './cri-connection.ts'
import { openPort, openSession } from './cri-streams.ts'

/** Where a runtime is, and how often it is asked what changed. */
export interface CriRuntimeOptions {
  /** `unix:///path`. */
  readonly endpoint: string
  readonly clock: Clock
  readonly relistMs?: number
  /** How long a call takes at most, beside those that pull images or wait for programs. */
  readonly requestMs?: number
}

type SandboxState = Omit<PodSandboxStatus, 'ips'>

/** What ended is seen by then, so that it runs again within a second. */
const usualRelistMs = 900
const usualRequestMs = 120_000
/** A runtime that does not say for so long how it is is not well. */
const mostCheckMs = 30_000
/** Images are pulled as long as it takes. */
const pullMs = 3_600_000
const endLooks = 20
const endLookMs = 100
const states: readonly ContainerState[] = ['created', 'running', 'exited', 'unknown']
const milliseconds = (nanoseconds = 0) => Math.floor(nanoseconds / 1e6)

/** A runtime behind a socket, such as containerd; connected with the first call. What others made there is not seen, nor touched. */
export async function createCriRuntime(options: CriRuntimeOptions): Promise<ContainerRuntime> {
  const { endpoint, clock, requestMs = usualRequestMs } = options
  return new CriRuntime(await connectCri(endpoint, clock, requestMs), options)
}

class CriRuntime implements ContainerRuntime {
  readonly mounts = true
  readonly #cri: CriConnection
  readonly #clock: Clock
  readonly #relistMs: number
  readonly #requestMs: number
  readonly #addresses = new Map<string, readonly string[]>()
  readonly #statuses = new Map<string, ContainerStatus>()
  readonly #listeners = new Set<(sandboxId: string) => void>()
  #seen: ReadonlyMap<string, { readonly sandboxId: string; readonly state: string }> | undefined
  #cancelRelist = (): void => {}
  #isClosed = false

  constructor(cri: CriConnection, options: CriRuntimeOptions) {
    this.#cri = cri
    this.#clock = options.clock
    this.#relistMs = options.relistMs ?? usualRelistMs
    this.#requestMs = options.requestMs ?? usualRequestMs
  }

  async version(): Promise<RuntimeVersion> {
    const { runtimeName, runtimeVersion } = await this.#cri.call('Version', {})
    return { name: runtimeName, version: runtimeVersion }
  }

  async check(): Promise<void> {
    const limit = Math.min(this.#requestMs, mostCheckMs)
    const { status } = await this.#cri.call('Status', {}, limit)
    const bad = status?.conditions?.filter((condition) => condition.status !== true) ?? []
    if (bad.length === 0) return
    const told = bad.map(({ type, reason, message }) => {
      const what = type === 'NetworkReady' ? 'container runtime network' : 'container runtime'
      return `${what} not ready: ${type}=false reason:${reason} message:${message}`
    })
    throw new RuntimeError('Unavailable', told.join(', '))
  }

  async runPodSandbox(config: PodSandboxConfig): Promise<string> {
    const question = { config: sandboxMessage(config), runtimeHandler: config.handler ?? '' }
    return (await this.#cri.call('RunPodSandbox', question)).podSandboxId
  }

  async stopPodSandbox(id: string): Promise<void> {
    await unlessGone(this.#cri.call('StopPodSandbox', { podSandboxId: id }))
  }

  async removePodSandbox(id: string): Promise<void> {
    await this.stopPodSandbox(id)
    await unlessGone(this.#cri.call('RemovePodSandbox', { podSandboxId: id }))
    this.#addresses.delete(id)
  }

  async listPodSandboxes(): Promise<readonly PodSandboxStatus[]> {
    return Promise.all(
      (await this.#sandboxes()).map(async (each) => ({ ...each, ips: await this.#ipsOf(each) })),
    )
  }

  async createContainer(sandboxId: string, config: ContainerConfig): Promise<string> {
    const sandbox = (await this.#sandboxes()).find(({ id }) => id === sandboxId)
    if (sandbox === undefined) {
      throw new RuntimeError('NotFound', `sandbox ${sandboxId} is not there`)
    }
    const question = {
      podSandboxId: sandboxId,
      config: containerMessage(config, sandbox.config),
      sandboxConfig: sandboxMessage(sandbox.config),
    }
    return (await this.#cri.call('CreateContainer', question)).containerId
  }

  async startContainer(id: string): Promise<void> {
    await this.#cri.call('StartContainer', { containerId: id })
  }

  async stopContainer(id: string, timeoutSeconds: number): Promise<void> {
    const timeout = Math.ceil(timeoutSeconds)
    const question = { containerId: id, timeout }
    await unlessGone(this.#cri.call('StopContainer', question, timeout * 1000 + this.#requestMs))
  }

  async removeContainer(id: string): Promise<void> {
    await this.stopContainer(id, 0)
    await unlessGone(this.#cri.call('RemoveContainer', { containerId: id }))
    this.#statuses.delete(id)
  }

  async listContainers(): Promise<readonly ContainerStatus[]> {
    const { containers } = await this.#cri.call('ListContainers', {})
    const ids = new Set(containers.map(({ id }) => id))
    for (const id of this.#statuses.keys()) if (!ids.has(id)) this.#statuses.delete(id)
    const found = containers.map(async ({ id = '', podSandboxId = '', state = 0, annotations }) => {
      if (keptConfig(annotations) === undefined) return []
      const known = this.#statuses.get(id)
      if (known !== undefined && known.state === states[state]) return known
      return this.#statusOf(id, podSandboxId).catch((error) => {
        if (isRuntimeError(error, 'NotFound')) return []
        throw error
      })
    })
    return (await Promise.all(found)).flat()
  }

  async containerStatus(id: string): Promise<ContainerStatus> {
    const found = (await this.listContainers()).find((each) => each.id === id)
    if (found === undefined) throw new RuntimeError('NotFound', `container ${id} is not there`)
    return found
  }

  async execSync(
    id: string,
    command: readonly string[],
    timeoutSeconds: number,
  ): Promise<ExecResult> {
    const timeout = Math.ceil(timeoutSeconds)
    const question = { containerId: id, cmd: command, timeout }
    const limit = timeout > 0 ? timeout * 1000 + 10_000 : pullMs
    return this.#cri.call('ExecSync', question, limit)
  }

  async exec(id: string, { command, tty, stdin, signal }: ExecOptions): Promise<ContainerSession> {
    await this.#runningConfig(id)
    const streams = { tty, stdin, stdout: true, stderr: !tty }
    const { url } = await this.#cri.call('Exec', { containerId: id, cmd: command, ...streams })
    return openSession(url, { tty, stdin, signal })
  }

  async attach(id: string, { stdin, signal }: AttachOptions): Promise<ContainerSession> {
    const config = await this.#runningConfig(id)
    const { tty } = config
    const reads = stdin && config.stdin !== 'none'
    const streams = { tty, stdin: reads, stdout: true, stderr: !tty }
    const { url } = await this.#cri.call('Attach', { containerId: id, ...streams })
    const session = await openSession(url, { tty, stdin: reads, signal })
    const ended = session.ended.then((code) =>
      code === undefined ? undefined : this.#exitCode(id).finally(keepAlive()),
    )
    return { ...session, ended }
  }

  async portForward(sandboxId: string, port: number): Promise<Duplex> {
    const question = { podSandboxId: sandboxId, port: [port] }
    const { url } = await this.#cri.call('PortForward', question)
    return openPort(url, port)
  }

  async reopenContainerLog(id: string): Promise<void> {
    await this.#cri.call('ReopenContainerLog', { containerId: id })
  }

  async checkpointContainer(containerId: string, location: string, timeout: number): Promise<void> {
    await this.#cri.call('CheckpointContainer', { containerId, location, timeout })
  }

  async listContainerStats(): Promise<readonly ContainerStats[]> {
    const { stats } = await this.#cri.call('ListContainerStats', {})
    return stats.map(({ attributes, cpu, memory, layer }) => ({
      ...{ id: attributes?.id ?? '', at: milliseconds(cpu?.timestamp), processes: 0 },
      cpuNanoseconds: cpu?.usageCoreNanoSeconds?.value ?? 0,
      memoryBytes: memory?.workingSetBytes?.value ?? 0,
      diskBytes: layer?.usedBytes?.value ?? 0,
    }))
  }

  async listImages(): Promise<readonly Image[]> {
    return (await this.#cri.call('ListImages', {})).images.map(imageOf)
  }

  async imageStatus(reference: string): Promise<Image | undefined> {
    const { image } = await this.#cri.call('ImageStatus', { image: { image: reference } })
    return image && imageOf(image)
  }

  async pullImage(reference: string, credentials?: ImageCredentials): Promise<string> {
    const { server, ...rest } = credentials ?? {}
    const auth = credentials && { ...rest, ...(server && { serverAddress: server }) }
    const question = { image: { image: reference }, ...(auth && { auth }) }
    return (await this.#cri.call('PullImage', question, pullMs)).imageRef
  }

  async removeImage(reference: string): Promise<void> {
    await unlessGone(this.#cri.call('RemoveImage', { image: { image: reference } }))
  }

  async imageFileSystems(): Promise<readonly ImageFileSystem[]> {
    const { fileSystems } = await this.#cri.call('ImageFsInfo', {})
    return fileSystems.map(({ place, usedBytes }) => ({
      mountpoint: place?.mountpoint ?? '',
      usedBytes: usedBytes?.value ?? 0,
    }))
  }

  onChange(changed: (sandboxId: string) => void): () => void {
    this.#listeners.add(changed)
    if (this.#listeners.size === 1) void this.#relist()
    return () => {
      this.#listeners.delete(changed)
      if (this.#listeners.size === 0) this.#cancelRelist()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelRelist()
    this.#cri.close()
  }

  /** Asks what there is, and tells of which sandboxes that is not what it was. A runtime that does not answer is asked again. */
  async #relist(): Promise<void> {
    try {
      const now = await this.#states()
      const before = this.#seen
      this.#seen = now
      const changed = new Set<string>()
      for (const [id, { sandboxId, state }] of now) {
        if (before?.get(id)?.state !== state) changed.add(sandboxId)
      }
      for (const [id, { sandboxId }] of before ?? []) if (!now.has(id)) changed.add(sandboxId)
      for (const id of before === undefined ? [] : changed) {
        for (const tell of this.#listeners) tell(id)
      }
    } catch {}
    if (this.#isClosed || this.#listeners.size === 0) return
    this.#cancelRelist = this.#clock.after(this.#relistMs, () => void this.#relist())
  }

  async #states() {
    const { containers } = await this.#cri.call('ListContainers', {})
    const sandboxes = await this.#sandboxes()
    return new Map([
      ...sandboxes.map(({ id, ready }) => [id, { sandboxId: id, state: String(ready) }] as const),
      ...containers.map(
        ({ id = '', podSandboxId = '', state = 0 }) =>
          [id, { sandboxId: podSandboxId, state: String(state) }] as const,
      ),
    ])
  }

  async #sandboxes(): Promise<readonly SandboxState[]> {
    const { items } = await this.#cri.call('ListPodSandbox', {})
    return items.flatMap(({ id = '', state, createdAt, annotations }) => {
      const config = keptConfig<PodSandboxConfig>(annotations)
      return config === undefined
        ? []
        : [{ id, config, ready: (state ?? 0) === 0, createdAt: milliseconds(createdAt) }]
    })
  }

  /** The exit code of a container whose streams have ended, which may be a little before it does. */
  async #exitCode(id: string): Promise<number | undefined> {
    for (let look = 0; look < endLooks; look++) {
      const last = await this.containerStatus(id)
      if (last.state === 'exited') return last.exitCode
      await pause(this.#clock, endLookMs)
    }
    return undefined
  }

  async #runningConfig(id: string): Promise<ContainerStatus['config']> {
    const { config, state } = await this.containerStatus(id)
    if (state === 'running') return config
    throw new RuntimeError('FailedPrecondition', `container ${id} is ${state}, not running`)
  }

  /** Addresses stay as long as a sandbox does. */
  async #ipsOf({ id, config, ready }: SandboxState): Promise<readonly string[]> {
    const known = this.#addresses.get(id)
    if (known !== undefined) return known
    if (!ready || config.hostNetwork) return []
    const answer = await unlessGone(this.#cri.call('PodSandboxStatus', { podSandboxId: id }))
    const { ip = '', additionalIps = [] } = answer?.status?.network ?? {}
    const found = [ip, ...additionalIps.map((each) => each.ip ?? '')].filter((one) => one !== '')
    if (found.length > 0) this.#addresses.set(id, found)
    return found
  }

  async #statusOf(id: string, sandboxId: string): Promise<ContainerStatus> {
    const { status = {} } = await this.#cri.call('ContainerStatus', { containerId: id })
    const config = keptConfig<ContainerStatus['config']>(status.annotations)
    if (config === undefined) throw new RuntimeError('NotFound', `container ${id} is not ours`)
    const reason = status.reason ?? ''
    const found: ContainerStatus = {
      ...{ id, sandboxId, config, imageRef: status.imageRef ?? '' },
      state: states[status.state ?? 0] ?? 'unknown',
      createdAt: milliseconds(status.createdAt),
      startedAt: milliseconds(status.startedAt),
      finishedAt: milliseconds(status.finishedAt),
      exitCode: status.exitCode ?? 0,
      reason: reason === 'Completed' || reason === 'Error' ? '' : reason,
      message: status.message ?? '',
      logFile: status.logPath ?? '',
    }
    this.#statuses.set(id, found)
    return found
  }
}

function imageOf(told: {
  readonly id?: string
  readonly repoTags?: readonly string[]
  readonly repoDigests?: readonly string[]
  readonly size?: number
  readonly pinned?: boolean
}): Image {
  const { id = '', repoTags: tags = [], repoDigests: digests = [], size: bytes = 0 } = told
  return { id, tags, digests, bytes, isPinned: told.pinned === true }
}

async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (isRuntimeError(error, 'NotFound')) return undefined
    throw error
  }
}
