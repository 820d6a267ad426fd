import type { ContainerRuntime } from '../../container-runtime/container-runtime.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { Log } from '../../observe/observe.ts'
import type { ConfigObjects } from '../containers/config-objects.ts'
import type { Allocatable } from '../containers/downward-values.ts'
import type { ServiceTokens } from '../volumes/service-tokens.ts'
import type { PodSink } from './pod-sink.ts'

/** What pods are run with. */
export interface AgentFacts {
  readonly runtime: ContainerRuntime
  /** The word before ids of containers. */
  readonly runtimeName: string
  readonly platform: Platform
  /** Folder of the agent's own files. */
  readonly rootFolder: string
  /** Folder of the logs of pods. */
  readonly logFolder: string
  readonly nodeName: string
  /** The address of the node, and of pods that have none of their own. */
  readonly address: string
  readonly allocatable: Allocatable
  readonly objects: ConfigObjects
  readonly tokens: ServiceTokens | undefined
  readonly sink: PodSink
  /** Variables that every container has, for its namespace. */
  serviceVariables(namespace: string): ReadonlyMap<string, string>
  readonly clock: Clock
  readonly log: Log
}
