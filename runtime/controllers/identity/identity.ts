/** What says that this server is there and what it keeps track of. */
import type { Client } from '../../client/client.ts'
import type { EnabledGates } from '../../kernel/descriptors/enabled-gates.ts'
import type { Log } from '../../observe/observe.ts'
import type { KeyController } from '../../reconcile/reconcile.ts'
import {
  type IdentityLeaseOptions,
  identityLeaseController,
  identityLeaseGarbage,
  leaveIdentityLease,
} from './identity-lease.ts'
import { tokenTrackingController } from './token-tracking.ts'

/** The gate that leases of servers are behind. */
const identityGate = 'APIServerIdentity'

/** A server that has a name. */
export interface ServerIdentity extends IdentityLeaseOptions {
  readonly gates: EnabledGates
}

/** Its loops. */
export function identityControllers({
  gates,
  ...options
}: ServerIdentity): readonly KeyController[] {
  const leases = gates.has(identityGate)
    ? [identityLeaseController(options), identityLeaseGarbage(options)]
    : []
  return [tokenTrackingController(options.scheme), ...leases].filter((one) => one !== undefined)
}

/** Takes back what says that the server is there, once its loops have ended. What fails of it is over in an hour. */
export async function leaveIdentity(
  { gates, ...options }: ServerIdentity,
  client: Client,
  log: Log,
): Promise<void> {
  if (!gates.has(identityGate)) return
  try {
    await leaveIdentityLease(options, client)
  } catch (error) {
    log.warn('the lease of this server stays until it is over', { reason: String(error) })
  }
}
