import type { Client } from '../client/client.ts'
import type { UserInfo } from '../kernel/auth/user-info.ts'
import {
  createSimulatedNodes,
  type SimulatedNodes,
  type SimulatedNodesSettings,
} from './create-simulated-nodes.ts'

/** Simulated nodes beside a server of the same process. */
export interface NodesInProcessOptions extends Omit<SimulatedNodesSettings, 'client'> {
  /** A client that acts as a user, under the name of a program; it is not closed. */
  readonly clientAs: (user: UserInfo, program: string) => Client
}

/** Who they are to the server: they write nodes, leases and pods. */
const user: UserInfo = {
  username: 'system:simulated-nodes',
  groups: ['system:masters', 'system:authenticated'],
}

/** Nodes that act as one user. @throws RangeError for a count that is no number of nodes. */
export function nodesInProcess({ clientAs, ...settings }: NodesInProcessOptions): SimulatedNodes {
  return createSimulatedNodes({ ...settings, client: clientAs(user, settings.platform.agent) })
}
