import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Duplex, Readable } from 'node:stream'
import type { Clock } from '../../kernel/async/clock.ts'
import type {
  ContainerConfig,
  ContainerStats,
  PodSandboxConfig,
  PodSandboxStatus,
} from '../contract/container.ts'
import type { ContainerRuntime, ExecResult } from '../contract/container-runtime.ts'
import type { Image } from '../contract/image.ts'
import { RuntimeError } from '../contract/runtime-error.ts'
import type { AttachOptions, ContainerSession, ExecOptions } from '../contract/session.ts'
import { FolderSizes } from '../files/folder-sizes.ts'
import type { ControlGroups } from '../groups/control-groups.ts'
import { connectInside } from './connect-inside.ts'
import { containerPath } from './container-path.ts'
import { type ContainerRecord, EmbeddedContainer } from './embedded-container.ts'
import { type HostImage, hostImage, isHostReference } from './host-image.ts'
import { connectLoopback } from './loopback.ts'
import { openCommand } from './open-command.ts'
import { networkFile, PodNetworks, type SandboxNetwork } from './pod-network.ts'
import type { EmbeddedLevel } from './probe-level.ts'
import { allProcesses, treeOf } from './processes.ts'
import { Records } from './records.ts'
import { resolvConf } from './resolv-conf.ts'

/** Where an embedded runtime keeps what it knows, and how far it keeps containers apart. */
export interface EmbeddedRuntimeOptions {
  readonly folder: string
  readonly level: EmbeddedLevel
  /** The version of the program, as nodes tell it. */
  readonly version: string
  readonly clock: Clock
  /** The addresses that pods get at the level `full`. */
  readonly podRange?: string
  /** Where processes are limited; undefined where they cannot be. */
  readonly groups?: ControlGroups | undefined
}

interface SandboxRecord {
  readonly config: PodSandboxConfig
  readonly createdAt: number
  /** Its own network, if it has one. */
  readonly network?: SandboxNetwork
}

/** Most bytes of each output of a command that are kept. */
const mostOutput = 16 * 1024 * 1024
const usualRange = '10.85.0.0/16'
const namesPath = '/etc/resolv.conf'
/** Nanoseconds of one tick of the clock by which the kernel counts. */
const tickNanoseconds = 10_000_000

/** A runtime within this process, whose containers are processes of the machine. Containers of an earlier one in that folder are adopted. */
export function createEmbeddedRuntime(options: EmbeddedRuntimeOptions): ContainerRuntime {
  return new EmbeddedRuntime(options)
}

class EmbeddedRuntime implements ContainerRuntime {
  readonly mounts: boolean
  readonly checksMounts = true
  readonly #options: EmbeddedRuntimeOptions
  readonly #isRoot = process.getuid?.() === 0
  readonly #sandboxRecords: Records<SandboxRecord>
  readonly #containerRecords: Records<ContainerRecord>
  readonly #sandboxes: Map<string, SandboxRecord & { readonly stopped?: true }>
  readonly #containers = new Map<string, EmbeddedContainer>()
  readonly #listeners = new Set<(sandboxId: string) => void>()
  readonly #sizes = new FolderSizes()
  readonly #networks: PodNetworks | undefined

  constructor(options: EmbeddedRuntimeOptions) {
    this.#options = options
    this.mounts = options.level !== 'process'
    this.#networks =
      options.level === 'full' ? new PodNetworks(options.podRange ?? usualRange) : undefined
    this.#sandboxRecords = new Records(join(options.folder, 'sandboxes'))
    this.#containerRecords = new Records(join(options.folder, 'containers'))
    this.#sandboxes = new Map(this.#sandboxRecords.read())
    for (const [id, record] of this.#containerRecords.read()) this.#take(id, record).adopt()
  }

  async version() {
    return { name: `embedded-${this.#options.level}`, version: this.#options.version }
  }

  async check(): Promise<void> {
    const stat = statSync(this.#options.folder, { throwIfNoEntry: false })
    if (!stat?.isDirectory()) {
      throw new RuntimeError('Unavailable', `${this.#options.folder} is no folder any more`)
    }
  }

  async runPodSandbox(config: PodSandboxConfig): Promise<string> {
    const id = newId()
    const network = await this.#networkFor(id, config)
    const record = {
      ...{ config, createdAt: this.#options.clock.now() },
      ...(network && { network }),
    }
    await this.#sandboxRecords.write(id, record).catch(async (error) => {
      if (network !== undefined) await this.#networks?.remove(network)
      throw error
    })
    this.#sandboxes.set(id, record)
    return id
  }

  async stopPodSandbox(id: string): Promise<void> {
    const record = this.#sandboxes.get(id)
    if (record === undefined) return
    await Promise.all(this.#containersOf(id).map((each) => each.stop(0)))
    if (record.stopped) return
    if (record.network !== undefined) await this.#networks?.remove(record.network)
    const stopped = { ...record, stopped: true } as const
    this.#sandboxRecords.stop(id)
    this.#sandboxes.set(id, stopped)
    this.#tell(id)
  }

  async removePodSandbox(id: string): Promise<void> {
    await this.stopPodSandbox(id)
    for (const container of this.#containersOf(id)) await this.removeContainer(container.id)
    this.#sandboxes.delete(id)
    await this.#sandboxRecords.remove(id)
  }

  async listPodSandboxes(): Promise<readonly PodSandboxStatus[]> {
    return [...this.#sandboxes].map(([id, { config, createdAt, stopped, network }]) => ({
      ...{ id, config, createdAt, ips: network ? [network.address] : [] },
      // Networks go when the machine starts anew.
      ready: stopped !== true && (network === undefined || existsSync(networkFile(network))),
    }))
  }

  async createContainer(sandboxId: string, config: ContainerConfig): Promise<string> {
    const sandbox = this.#sandboxes.get(sandboxId)
    if (sandbox === undefined) {
      throw new RuntimeError('NotFound', `sandbox ${sandboxId} is not there`)
    }
    const image = this.#imageOf(config.image)
    if (image === undefined) {
      throw new RuntimeError('NotFound', `image ${config.image} is not there`)
    }
    if (config.mounts.length > 0 && !this.mounts) {
      const paths = config.mounts.map(({ containerPath }) => containerPath).join(', ')
      throw new RuntimeError(
        'FailedPrecondition',
        `nothing can be mounted at ${paths}: this runtime works at the level of processes, which have no file system of their own`,
      )
    }
    const id = newId()
    const { cgroupParent } = sandbox.config
    const record: ContainerRecord = {
      ...{ sandboxId, hostname: sandbox.config.hostname, level: this.#options.level },
      ...{ imageRef: image.id, program: image.program, createdAt: this.#options.clock.now() },
      config: this.#withNames(sandboxId, sandbox.config, config),
      logFile: join(sandbox.config.logDirectory, config.logPath),
      ...(sandbox.network && { network: networkFile(sandbox.network) }),
      ...(this.#options.groups && cgroupParent !== undefined && { group: `${cgroupParent}/${id}` }),
    }
    await this.#containerRecords.write(id, record)
    this.#take(id, record)
    return id
  }

  async startContainer(id: string): Promise<void> {
    await this.#container(id).start()
  }

  async stopContainer(id: string, timeoutSeconds: number): Promise<void> {
    await this.#containers.get(id)?.stop(timeoutSeconds)
  }

  async removeContainer(id: string): Promise<void> {
    const container = this.#containers.get(id)
    if (container === undefined) return
    await container.stop(0)
    container.remove()
    this.#containers.delete(id)
    rmSync(container.record.logFile, { force: true })
    await this.#containerRecords.remove(id)
  }

  async listContainers() {
    return [...this.#containers.values()].map((each) => each.status())
  }

  async containerStatus(id: string) {
    return this.#container(id).status()
  }

  async execSync(
    id: string,
    command: readonly string[],
    timeoutSeconds: number,
  ): Promise<ExecResult> {
    const { clock } = this.#options
    const late = new AbortController()
    const cancel =
      timeoutSeconds > 0 ? clock.after(timeoutSeconds * 1000, () => late.abort()) : () => {}
    const options = { command, tty: false, stdin: false, signal: late.signal }
    const session = await this.exec(id, options).catch((error) => {
      cancel()
      throw error
    })
    const outputs = [session.stdout, session.stderr].map(collected)
    const exitCode = await session.ended.finally(cancel)
    if (exitCode === undefined) {
      const why = `command ${JSON.stringify(command.join(' '))} timed out after ${timeoutSeconds}s`
      throw new RuntimeError('DeadlineExceeded', why)
    }
    const [stdout, stderr] = (await Promise.all(outputs)) as [Buffer, Buffer]
    return { exitCode, stdout, stderr }
  }

  async exec(id: string, { command, tty, stdin, signal }: ExecOptions): Promise<ContainerSession> {
    const container = this.#container(id)
    const { first } = container
    if (first === undefined) {
      throw new RuntimeError('FailedPrecondition', `container ${id} does not run`)
    }
    const { clock } = this.#options
    return openCommand(container.beside(command, tty), first, { stdin, signal, clock })
  }

  async attach(id: string, options: AttachOptions): Promise<ContainerSession> {
    return this.#container(id).attach(options)
  }

  async portForward(sandboxId: string, port: number): Promise<Duplex> {
    const sandbox = this.#sandboxes.get(sandboxId)
    if (sandbox === undefined || sandbox.stopped !== undefined) {
      throw new RuntimeError('NotFound', `sandbox ${sandboxId} does not run`)
    }
    const { network } = sandbox
    return network ? connectInside(networkFile(network), port) : connectLoopback(port)
  }

  async reopenContainerLog(id: string): Promise<void> {
    this.#container(id).reopenLog()
  }

  async listContainerStats(): Promise<readonly ContainerStats[]> {
    const all = allProcesses()
    const running = [...this.#containers.values()].filter(({ isRunning }) => isRunning)
    const at = this.#options.clock.now()
    const folderOf = (id: string) => this.#containerRecords.folder(id)
    this.#sizes.keepOnly(new Set(running.map(({ id }) => folderOf(id))))
    return Promise.all(
      running.map(async ({ id, pid }) => {
        const tree = treeOf(pid, all)
        const sum = (of: (each: (typeof tree)[number]) => number) =>
          tree.reduce((total, each) => total + of(each), 0)
        return {
          ...{ id, at, processes: tree.length },
          cpuNanoseconds: sum(({ ticks }) => ticks) * tickNanoseconds,
          memoryBytes: sum(({ residentBytes }) => residentBytes),
          diskBytes: await this.#sizes.bytesOf(folderOf(id), at),
        }
      }),
    )
  }

  async listImages(): Promise<readonly Image[]> {
    const references = [...this.#containers.values()].map(({ record }) => record.config.image)
    return [...new Set(references)].flatMap((reference) => hostImage(reference) ?? [])
  }

  async imageStatus(reference: string): Promise<Image | undefined> {
    return this.#imageOf(reference)
  }

  async pullImage(reference: string): Promise<string> {
    const image = this.#imageOf(reference)
    if (image !== undefined) return image.id
    if (isHostReference(reference)) {
      throw new RuntimeError('NotFound', `image ${reference}: this machine has no such program`)
    }
    throw new RuntimeError(
      'FailedPrecondition',
      `image ${reference} cannot be had: the embedded runtime has programs of this machine only, which are named like host/sh`,
    )
  }

  async removeImage(): Promise<void> {}

  async imageFileSystems() {
    return []
  }

  onChange(changed: (sandboxId: string) => void): () => void {
    this.#listeners.add(changed)
    return () => this.#listeners.delete(changed)
  }

  async close(): Promise<void> {
    for (const container of this.#containers.values()) container.close()
  }

  #networkFor(id: string, config: PodSandboxConfig): Promise<SandboxNetwork> | undefined {
    if (this.#networks === undefined || config.hostNetwork) return undefined
    const taken = [...this.#sandboxes.values()].flatMap(({ network, stopped }) =>
      network === undefined || stopped ? [] : [network.address],
    )
    return this.#networks.add(id, new Set(taken), config.ports ?? [])
  }

  /** With the file by which its programs look names up, if nothing else is mounted there. */
  #withNames(sandboxId: string, { dns }: PodSandboxConfig, config: ContainerConfig) {
    const { mounts } = config
    const isTaken = mounts.some((mount) => containerPath(mount.containerPath) === namesPath)
    if (dns === undefined || isTaken || !this.mounts) return config
    const hostPath = join(this.#sandboxRecords.folder(sandboxId), 'resolv.conf')
    writeFileSync(hostPath, resolvConf(dns), { mode: 0o644 })
    const mount = { hostPath, containerPath: namesPath, readonly: true }
    return { ...config, mounts: [...mounts, mount] }
  }

  #imageOf(reference: string): HostImage | undefined {
    return isHostReference(reference) ? hostImage(reference) : undefined
  }

  #take(id: string, record: ContainerRecord): EmbeddedContainer {
    const container = new EmbeddedContainer(id, record, {
      folder: this.#containerRecords.folder(id),
      isRoot: this.#isRoot,
      groups: this.#options.groups,
      clock: this.#options.clock,
      changed: () => this.#tell(record.sandboxId),
    })
    this.#containers.set(id, container)
    return container
  }

  #container(id: string): EmbeddedContainer {
    const found = this.#containers.get(id)
    if (found === undefined) throw new RuntimeError('NotFound', `container ${id} is not there`)
    return found
  }

  #containersOf(sandboxId: string): readonly EmbeddedContainer[] {
    return [...this.#containers.values()].filter(({ record }) => record.sandboxId === sandboxId)
  }

  #tell(sandboxId: string): void {
    for (const changed of this.#listeners) changed(sandboxId)
  }
}

function newId(): string {
  return randomBytes(32).toString('hex')
}

/** What comes out, up to a bound. */
function collected(stream: Readable | undefined): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  return new Promise((resolve) => {
    if (stream === undefined) return resolve(Buffer.alloc(0))
    stream.on('data', (part: Buffer) => {
      if (length + part.length <= mostOutput) parts.push(part)
      length += part.length
    })
    stream.once('close', () => resolve(Buffer.concat(parts)))
  })
}
