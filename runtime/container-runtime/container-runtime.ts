/**
 * Container runtimes behind one interface, in the words of CRI: sandboxes, containers, images, logs, statistics.
 *
 *  1. What a container is made of comes in with its call; labels and annotations come back as they were given, so that who restarts
 *     finds everything again by asking.
 *  2. A failure is a `RuntimeError` with the code that CRI has for it.
 *  3. Stopping and removing what is gone already is no failure.
 *  4. Containers outlive the process that made them, with their exit codes and logs.
 *  5. A runtime runs what the image names, or says why it does not.
 */
export type {
  ContainerConfig,
  ContainerResources,
  ContainerState,
  ContainerStats,
  ContainerStatus,
  ContainerUser,
  DnsSettings,
  Mount,
  PodSandboxConfig,
  PodSandboxStatus,
  PortMapping,
  SeccompProfile,
} from './contract/container.ts'
export type { ContainerRuntime, ExecResult, RuntimeVersion } from './contract/container-runtime.ts'
export type { Image, ImageCredentials, ImageFileSystem } from './contract/image.ts'
export { isRuntimeError, RuntimeError, type RuntimeErrorCode } from './contract/runtime-error.ts'
export type {
  AttachOptions,
  ContainerSession,
  ExecOptions,
  TerminalSize,
} from './contract/session.ts'
export { type CriRuntimeOptions, createCriRuntime } from './cri/cri-runtime.ts'
export { createEmbeddedRuntime, type EmbeddedRuntimeOptions } from './embedded/embedded-runtime.ts'
export { whyNoNetworks } from './embedded/pod-network.ts'
export { type EmbeddedLevel, type ProbedLevel, probeLevel } from './embedded/probe-level.ts'
export { FolderSizes, folderSize } from './files/folder-sizes.ts'
export { identityOf, LeadsOut, openBelow, openPlace, pathOf } from './files/open-below.ts'
export { openLogFile, openLogFileSync } from './files/plain-file.ts'
export { removeFolder } from './files/remove-folder.ts'
export {
  type ControlGroups,
  type GroupLimits,
  openControlGroups,
} from './groups/control-groups.ts'
export { type SimulatedMachine, simulatedMachine } from './simulated/simulated-machine.ts'
export type {
  SimulatedCommand,
  SimulatedLine,
  SimulatedProgram,
  SimulatedPrograms,
} from './simulated/simulated-programs.ts'
export { createSimulatedRuntime } from './simulated/simulated-runtime.ts'
