import type { Duplex } from 'node:stream'
import type {
  ContainerConfig,
  ContainerStats,
  ContainerStatus,
  PodSandboxConfig,
  PodSandboxStatus,
} from './container.ts'
import type { Image, ImageCredentials, ImageFileSystem } from './image.ts'
import type { AttachOptions, ContainerSession, ExecOptions } from './session.ts'

/** What answers, and in which version. */
export interface RuntimeVersion {
  /** One word, such as `containerd`. */
  readonly name: string
  readonly version: string
}

/** How a command ended that was run in a container. */
export interface ExecResult {
  readonly exitCode: number
  readonly stdout: Buffer
  readonly stderr: Buffer
}

/** What runs containers. Every call rejects with a `RuntimeError`. */
export interface ContainerRuntime {
  version(): Promise<RuntimeVersion>
  /** Resolves if containers can be started. @throws a RuntimeError that says why not. */
  check(): Promise<void>
  /** Whether files of the machine can stand at any place in a container. */
  readonly mounts: boolean
  /** Whether nothing is mounted that is not what a mount says it is. */
  readonly checksMounts: boolean

  /** Resolves to its id. */
  runPodSandbox(config: PodSandboxConfig): Promise<string>
  /** Ends its containers, too. */
  stopPodSandbox(id: string): Promise<void>
  /** Removes its containers, too. */
  removePodSandbox(id: string): Promise<void>
  listPodSandboxes(): Promise<readonly PodSandboxStatus[]>

  /** Resolves to its id. */
  createContainer(sandboxId: string, config: ContainerConfig): Promise<string>
  startContainer(id: string): Promise<void>
  /** Asks its program to end, and ends it after so many seconds. Resolves when it has ended. */
  stopContainer(id: string, timeoutSeconds: number): Promise<void>
  removeContainer(id: string): Promise<void>
  listContainers(): Promise<readonly ContainerStatus[]>
  /** @throws a RuntimeError `NotFound`. */
  containerStatus(id: string): Promise<ContainerStatus>
  /** Runs a command beside the program of a container. @throws a RuntimeError `DeadlineExceeded` when the time is over; 0 sets none. */
  execSync(id: string, command: readonly string[], timeoutSeconds: number): Promise<ExecResult>
  /** Runs a command beside the program of a container, with streams. @throws a RuntimeError if it cannot be started. */
  exec(id: string, options: ExecOptions): Promise<ContainerSession>
  /** The streams of the program of a container; output from now on. @throws a RuntimeError if the container does not run. */
  attach(id: string, options: AttachOptions): Promise<ContainerSession>
  /** A connection to a port within a pod. @throws a RuntimeError if nothing listens there. */
  portForward(sandboxId: string, port: number): Promise<Duplex>
  /** Log lines to come go to the file of that name, which may be a new one. */
  reopenContainerLog(id: string): Promise<void>
  /** Writes what a container does to a file, within so many seconds, or in those of the runtime for 0. Absent where that cannot be. */
  checkpointContainer?(id: string, file: string, seconds: number): Promise<void>
  listContainerStats(): Promise<readonly ContainerStats[]>

  listImages(): Promise<readonly Image[]>
  /** Undefined for one that is not there. */
  imageStatus(reference: string): Promise<Image | undefined>
  /** Resolves to what the image is known by. */
  pullImage(reference: string, credentials?: ImageCredentials): Promise<string>
  removeImage(reference: string): Promise<void>
  /** Where images are kept; none where the runtime has none of its own. */
  imageFileSystems(): Promise<readonly ImageFileSystem[]>

  /** Calls `changed` with the id of a sandbox whose containers may have changed. The returned function ends that. */
  onChange(changed: (sandboxId: string) => void): () => void
  /** Leaves everything running, and holds nothing open any more. */
  close(): Promise<void>
}
