/** What sandboxes and containers are made of, and what is known of them. Times are milliseconds since the epoch. */

/** The surroundings that the containers of a pod share. */
export interface PodSandboxConfig {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  /** How often a sandbox was made for this pod before. */
  readonly attempt: number
  readonly hostname: string
  /** Folder of the logs of its containers. */
  readonly logDirectory: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly hostNetwork: boolean
}

/** A sandbox as the runtime knows it. */
export interface PodSandboxStatus {
  readonly id: string
  readonly config: PodSandboxConfig
  readonly ready: boolean
  readonly createdAt: number
  /** Addresses of the pod; none if it has the node's. */
  readonly ips: readonly string[]
}

/** A file or folder of the machine at a place in the container. */
export interface Mount {
  readonly hostPath: string
  readonly containerPath: string
  readonly readonly: boolean
}

/** Whom the program of a container runs as; what is left out is as the image says. */
export interface ContainerUser {
  readonly uid?: number
  readonly gid?: number
  readonly supplementalGroups?: readonly number[]
  readonly noNewPrivileges?: boolean
  readonly dropsAllCapabilities?: boolean
}

/** What a container is made of. */
export interface ContainerConfig {
  readonly name: string
  /** How often the container was started before. */
  readonly attempt: number
  readonly image: string
  /** In place of what the image starts. */
  readonly command: readonly string[]
  /** In place of the arguments that the image has, if there is a command or any of these. */
  readonly args: readonly string[]
  readonly workingDirectory: string
  readonly environment: readonly (readonly [name: string, value: string])[]
  readonly mounts: readonly Mount[]
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  /** Below the log folder of the sandbox. */
  readonly logPath: string
  readonly readonlyRoot: boolean
  readonly user: ContainerUser
  /** Whether its program has a terminal, with one output. */
  readonly tty: boolean
  /** Whether its program reads what is attached: until the first that was attached goes, or for ever. */
  readonly stdin: 'none' | 'once' | 'kept'
}

/** What a container does now. */
export type ContainerState = 'created' | 'running' | 'exited' | 'unknown'

/** A container as the runtime knows it. */
export interface ContainerStatus {
  readonly id: string
  readonly sandboxId: string
  readonly config: Omit<ContainerConfig, 'environment'>
  /** What the image is known by, beside its name. */
  readonly imageRef: string
  readonly state: ContainerState
  readonly createdAt: number
  /** 0 until it is. */
  readonly startedAt: number
  readonly finishedAt: number
  readonly exitCode: number
  /** A word such as `OOMKilled`; empty where the exit code says it all. */
  readonly reason: string
  readonly message: string
  readonly logFile: string
}

/** What a container uses. */
export interface ContainerStats {
  readonly id: string
  readonly at: number
  /** Processor time since its start, in nanoseconds. */
  readonly cpuNanoseconds: number
  readonly memoryBytes: number
  readonly processes: number
}
