import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { ContainerRuntime } from '../../container-runtime/container-runtime.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { AdjustableLog } from '../../observe/observe.ts'

/** How often the probe of a container passed, failed, and could not be carried out. */
export interface ProbeCount {
  readonly pod: Pick<Stored<Pod>, 'metadata'>
  readonly container: string
  readonly kind: 'liveness' | 'readiness' | 'startup'
  readonly passed: number
  readonly failed: number
  readonly unknown: number
}

/** What the server of an agent shows: the pods of its node, and what runs them. */
export interface NodeView {
  readonly nodeName: string
  /** The names of the cluster. */
  readonly platform: Platform
  readonly runtime: ContainerRuntime
  /** The pods of the node, with their status. */
  pods(): readonly Stored<Pod>[]
  /** What probes of containers came to so far. */
  probeCounts(): readonly ProbeCount[]
  /** The folder whose file systems are told of. */
  readonly rootFolder: string
  readonly clock: Clock
  readonly log: AdjustableLog
}
