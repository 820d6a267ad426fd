import type { RemoteServer } from '../../aggregator/aggregator.ts'
import type { UnservedResource } from './unserved-resource.ts'

/** What a request asks of another server. */
export interface RemoteTarget {
  readonly server: RemoteServer
  /** As rights, flow control and audit events have it. */
  readonly verb: string
  /** Absent for discovery and schema documents. */
  readonly resource?: UnservedResource
  /** True where the answer may go on for as long as it likes. */
  readonly isLongRunning: boolean
}
