import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { ContainerRuntime } from '../../container-runtime/container-runtime.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { Log } from '../../observe/observe.ts'
import type { ConfigObjects } from '../containers/config-objects.ts'
import type { NodeDns } from '../containers/dns.ts'
import type { Allocatable } from '../containers/downward-values.ts'
import type { LimitSettings } from '../containers/resources.ts'
import type { SecurityDefaults } from '../containers/security.ts'
import type { WaitingReason } from '../decision/container-statuses.ts'
import type { ImagePuller } from '../images/image-puller.ts'
import type { ServiceTokens } from '../volumes/service-tokens.ts'
import type { VolumeClaims } from '../volumes/volume-claims.ts'
import type { PodGroups } from './pod-groups.ts'
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
  readonly claims: VolumeClaims | undefined
  readonly sink: PodSink
  /** Variables that every container has, for its namespace: of its services only if it wants `links`. */
  serviceVariables(namespace: string, links: boolean): ReadonlyMap<string, string>
  readonly limits: LimitSettings
  readonly security: SecurityDefaults
  readonly dns: NodeDns
  readonly images: ImagePuller
  /** Undefined where pods are in no groups. */
  readonly groups: PodGroups | undefined
  /** The name by which the runtime knows a class of runtimes. @throws what keeps it from being known. */
  handlerOf(runtimeClass: string): Promise<string>
  /** Why a new pod has no place on the node; undefined if it has one. */
  refusal(pod: Stored<Pod>): WaitingReason | undefined
  readonly clock: Clock
  readonly log: Log
}
