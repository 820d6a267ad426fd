/** What says that this server is there and what it keeps track of. */
import type { EnabledGates } from '../../kernel/descriptors/enabled-gates.ts'
import type { KeyController } from '../../reconcile/reconcile.ts'
import {
  type IdentityLeaseOptions,
  identityLeaseController,
  identityLeaseGarbage,
} from './identity-lease.ts'
import { tokenTrackingController } from './token-tracking.ts'

/** The gate that leases of servers are behind. */
const identityGate = 'APIServerIdentity'

/** The loops of a server that has a name. */
export function identityControllers({
  gates,
  ...options
}: IdentityLeaseOptions & { readonly gates: EnabledGates }): readonly KeyController[] {
  const leases = gates.has(identityGate)
    ? [identityLeaseController(options), identityLeaseGarbage(options)]
    : []
  return [tokenTrackingController(options.scheme), ...leases].filter((one) => one !== undefined)
}
