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
  /** Whose processes containers see: their own where nothing is said, those of the pod, or those of the node. */
  readonly processes?: 'pod' | 'node'
  /** Whether they share memory with the node. */
  readonly hostIPC?: boolean
  /** The control group under which those of its containers are made; as the runtime likes where nothing is said. */
  readonly cgroupParent?: string
  /** Where its containers look names up; as the node does where nothing is said. */
  readonly dns?: DnsSettings
  /** Ports of the node that lead to the pod. */
  readonly ports?: readonly PortMapping[]
  /** Settings of the kernel. */
  readonly sysctls?: Readonly<Record<string, string>>
  /** Whether any of its containers may do what root of the node may. */
  readonly privileged?: boolean
  /** The name by which the runtime knows a way to run pods. */
  readonly handler?: string
}

/** The content of a file with the settings of DNS. */
export interface DnsSettings {
  readonly servers: readonly string[]
  readonly searches: readonly string[]
  readonly options: readonly string[]
}

/** A port of the node that leads to one of a pod. */
export interface PortMapping {
  readonly protocol: 'TCP' | 'UDP' | 'SCTP'
  readonly containerPort: number
  readonly hostPort: number
  /** Every address where nothing is said. */
  readonly hostIP?: string
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
  /** `DEVICE:INODE` of what has to stand there when it is mounted. */
  readonly identity?: string
  /** Whether mounts that are made later on one side are seen on the other. */
  readonly propagation?: 'from node' | 'both ways'
}

/** How much a container may use, and how soon it is ended where memory runs out. */
export interface ContainerResources {
  /** Microseconds of a period, and of processor time within one. */
  readonly cpuPeriod?: number
  readonly cpuQuota?: number
  /** Its part where processors are short: 1024 for each. */
  readonly cpuShares?: number
  readonly memoryBytes?: number
  /** From -1000, never, to 1000. */
  readonly oomScoreAdj?: number
}

/** Whom the program of a container runs as; what is left out is as the image says. */
export interface ContainerUser {
  readonly uid?: number
  readonly gid?: number
  readonly supplementalGroups?: readonly number[]
  readonly noNewPrivileges?: boolean
  /** Added to what the runtime gives, and taken from it; names such as `NET_ADMIN` or `ALL`. */
  readonly addsCapabilities?: readonly string[]
  readonly dropsCapabilities?: readonly string[]
}

/** Which calls of the kernel are let through: those of the runtime, all, or those of a file of the node. */
export type SeccompProfile = 'RuntimeDefault' | 'Unconfined' | { readonly file: string }

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
  readonly resources?: ContainerResources
  /** Whether it may do what root of the node may. */
  readonly privileged?: boolean
  /** As the runtime does where nothing is said. */
  readonly seccomp?: SeccompProfile
  /** Whether it sees all of /proc, as files of the kernel that say much of the node. */
  readonly seesAllOfProc?: boolean
  /** A container of the sandbox whose processes it sees. */
  readonly beside?: string
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
  /** What it has written beside its volumes; undefined where the runtime does not count it. */
  readonly diskBytes?: number
}
