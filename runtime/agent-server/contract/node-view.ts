import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { ContainerRuntime } from '../../container-runtime/container-runtime.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { AdjustableLog } from '../../observe/observe.ts'

/** What the server of an agent shows: the pods of its node, and what runs them. */
export interface NodeView {
  readonly nodeName: string
  /** The names of the cluster. */
  readonly platform: Platform
  readonly runtime: ContainerRuntime
  /** The pods of the node, with their status. */
  pods(): readonly Stored<Pod>[]
  /** The folder whose file systems are told of. */
  readonly rootFolder: string
  readonly clock: Clock
  readonly log: AdjustableLog
}
