/** The messages of version 1 of CRI, as far as they are used: names and numbers of their fields. */
import {
  bytes,
  flag,
  integer,
  integers,
  list,
  message,
  names,
  text,
  texts,
} from './message-fields.ts'

const none = {}
const value = { value: integer(1) }
const metadata = { name: text(1), uid: text(2), namespace: text(3), attempt: integer(4) }
const containerMetadata = { name: text(1), attempt: integer(2) }
const image = { image: text(1) }
const namespaceOptions = {
  ...{ network: integer(1), pid: integer(2), ipc: integer(3), targetId: text(4) },
}
const securityProfile = { profileType: integer(1), localhostRef: text(2) }
const resources = {
  cpuPeriod: integer(1),
  cpuQuota: integer(2),
  cpuShares: integer(3),
  memoryLimitInBytes: integer(4),
  oomScoreAdj: integer(5),
}
const sandboxConfig = {
  metadata: message(1, metadata),
  hostname: text(2),
  logDirectory: text(3),
  dnsConfig: message(4, { servers: texts(1), searches: texts(2), options: texts(3) }),
  portMappings: list(5, {
    ...{ protocol: integer(1), containerPort: integer(2), hostPort: integer(3), hostIp: text(4) },
  }),
  labels: names(6),
  annotations: names(7),
  linux: message(8, {
    cgroupParent: text(1),
    securityContext: message(2, {
      namespaceOptions: message(1, namespaceOptions),
      privileged: flag(6),
      seccomp: message(9, securityProfile),
    }),
    sysctls: names(3),
  }),
}
const containerConfig = {
  metadata: message(1, containerMetadata),
  image: message(2, image),
  command: texts(3),
  args: texts(4),
  workingDir: text(5),
  envs: list(6, { key: text(1), value: text(2) }),
  mounts: list(7, {
    ...{ containerPath: text(1), hostPath: text(2), readonly: flag(3), propagation: integer(5) },
  }),
  labels: names(9),
  annotations: names(10),
  logPath: text(11),
  stdin: flag(12),
  stdinOnce: flag(13),
  tty: flag(14),
  linux: message(15, {
    resources: message(1, resources),
    securityContext: message(2, {
      capabilities: message(1, { add: texts(1), drop: texts(2) }),
      privileged: flag(2),
      namespaceOptions: message(3, namespaceOptions),
      runAsUser: message(5, value),
      readonlyRootfs: flag(7),
      supplementalGroups: integers(8),
      noNewPrivs: flag(11),
      runAsGroup: message(12, value),
      maskedPaths: texts(13),
      readonlyPaths: texts(14),
      seccomp: message(15, securityProfile),
    }),
  }),
}
const imageFacts = {
  id: text(1),
  repoTags: texts(2),
  repoDigests: texts(3),
  size: integer(4),
  pinned: flag(8),
}
const sandboxId = { podSandboxId: text(1) }
const containerId = { containerId: text(1) }

/** What is asked and answered, by the name of the call. */
export const calls = {
  Version: [none, { runtimeName: text(2), runtimeVersion: text(3) }],
  Status: [
    { verbose: flag(1) },
    {
      info: names(2),
      status: message(1, {
        conditions: list(1, { type: text(1), status: flag(2), reason: text(3), message: text(4) }),
      }),
    },
  ],
  RunPodSandbox: [{ config: message(1, sandboxConfig), runtimeHandler: text(2) }, sandboxId],
  StopPodSandbox: [sandboxId, none],
  RemovePodSandbox: [sandboxId, none],
  PodSandboxStatus: [
    sandboxId,
    {
      status: message(1, {
        id: text(1),
        network: message(5, { ip: text(1), additionalIps: list(2, { ip: text(1) }) }),
      }),
    },
  ],
  ListPodSandbox: [
    none,
    {
      items: list(1, {
        id: text(1),
        state: integer(3),
        createdAt: integer(4),
        annotations: names(6),
      }),
    },
  ],
  CreateContainer: [
    {
      podSandboxId: text(1),
      config: message(2, containerConfig),
      sandboxConfig: message(3, sandboxConfig),
    },
    containerId,
  ],
  StartContainer: [containerId, none],
  StopContainer: [{ containerId: text(1), timeout: integer(2) }, none],
  RemoveContainer: [containerId, none],
  ListContainers: [
    none,
    {
      containers: list(1, {
        id: text(1),
        podSandboxId: text(2),
        state: integer(6),
        annotations: names(9),
      }),
    },
  ],
  ContainerStatus: [
    containerId,
    {
      status: message(1, {
        id: text(1),
        state: integer(3),
        createdAt: integer(4),
        startedAt: integer(5),
        finishedAt: integer(6),
        exitCode: integer(7),
        imageRef: text(9),
        reason: text(10),
        message: text(11),
        annotations: names(13),
        logPath: text(15),
      }),
    },
  ],
  ReopenContainerLog: [containerId, none],
  ExecSync: [
    { containerId: text(1), cmd: texts(2), timeout: integer(3) },
    { stdout: bytes(1), stderr: bytes(2), exitCode: integer(3) },
  ],
  Exec: [
    {
      ...{ containerId: text(1), cmd: texts(2), tty: flag(3), stdin: flag(4) },
      ...{ stdout: flag(5), stderr: flag(6) },
    },
    { url: text(1) },
  ],
  Attach: [
    { containerId: text(1), stdin: flag(2), tty: flag(3), stdout: flag(4), stderr: flag(5) },
    { url: text(1) },
  ],
  PortForward: [{ podSandboxId: text(1), port: integers(2) }, { url: text(1) }],
  CheckpointContainer: [{ containerId: text(1), location: text(2), timeout: integer(3) }, none],
  ListContainerStats: [
    none,
    {
      stats: list(1, {
        attributes: message(1, { id: text(1) }),
        cpu: message(2, { timestamp: integer(1), usageCoreNanoSeconds: message(2, value) }),
        memory: message(3, { workingSetBytes: message(2, value) }),
        layer: message(4, { usedBytes: message(3, value) }),
      }),
    },
  ],
  ListImages: [none, { images: list(1, imageFacts) }],
  ImageStatus: [{ image: message(1, image) }, { image: message(1, imageFacts) }],
  PullImage: [
    {
      image: message(1, image),
      auth: message(2, {
        ...{ username: text(1), password: text(2), serverAddress: text(4) },
        ...{ identityToken: text(5), registryToken: text(6) },
      }),
    },
    { imageRef: text(1) },
  ],
  RemoveImage: [{ image: message(1, image) }, none],
  ImageFsInfo: [
    none,
    {
      fileSystems: list(1, {
        place: message(2, { mountpoint: text(1) }),
        usedBytes: message(3, value),
      }),
    },
  ],
} as const

/** Calls of the service of images; all others are of the service of containers. */
export const imageCalls: ReadonlySet<string> = new Set([
  'ListImages',
  'ImageStatus',
  'PullImage',
  'RemoveImage',
  'ImageFsInfo',
])
