/**
 * The control loops that run inside the API server: controllers of the reconcile module over an in-process client.
 *
 * Each file is one of them: a pure `decide…` from what is observed to what is to be done, and an effect that does it. What
 * must hold before the server is ready is also exported as a `sync…` function, which start-up calls once.
 */

export { loadAccessControllers } from './access/load-access-controllers.ts'
export {
  type AllocationRepairOptions,
  allocationController,
  repairAllocations,
} from './allocations.ts'
export { definitionKind, waitForDefinition } from './definitions/definition-kind.ts'
export { loadDefinitionControllers } from './definitions/load-definition-controllers.ts'
export { expirationController } from './expiration.ts'
export {
  type FlowControlOptions,
  flowControlController,
  flowControlKinds,
  syncFlowControl,
} from './flow-control.ts'
export {
  type ClusterAuthentication,
  clusterAuthenticationController,
  configMapKind,
  syncClusterAuthentication,
} from './identity/cluster-authentication.ts'
export { loadIdentityControllers } from './identity/load-identity-controllers.ts'
export { ServerPresence } from './identity/server-presence.ts'
export {
  advertisedAddress,
  leaveServerService,
  type ServerServiceOptions,
  serverServiceController,
  syncServerService,
} from './identity/server-service.ts'
export { managerLease, type NamedLease, whileLeaseIsFree } from './manager-lease.ts'
export { namespaceController, type ServedContent } from './namespaces.ts'
export { policyKind, policyStatusController } from './policy-status.ts'
export { ApiServices, apiServiceKind } from './remote/api-services.ts'
export { loadRemoteControllers } from './remote/load-remote-controllers.ts'
export { isRemoteVersion, waitForRemoteVersion } from './remote/remote-version.ts'
