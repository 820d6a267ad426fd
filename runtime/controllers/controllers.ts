/**
 * The control loops that run inside the API server: controllers of the reconcile module over an in-process client.
 *
 * Each file is one of them: a pure `decide…` from what is observed to what is to be done, and an effect that does it. What
 * must hold before the server is ready is also exported as a `sync…` function, which start-up calls once.
 */
export {
  type AllocationRepairOptions,
  allocationController,
  repairAllocations,
} from './allocations.ts'
export { ApiServices, apiServiceKind } from './api-services.ts'
export {
  type ClusterAuthentication,
  clusterAuthenticationController,
  configMapKind,
  syncClusterAuthentication,
} from './cluster-authentication.ts'
export { definitionKind, waitForDefinition } from './definition-kind.ts'
export { expirationController } from './expiration.ts'
export {
  type FlowControlOptions,
  flowControlController,
  flowControlKinds,
  syncFlowControl,
} from './flow-control.ts'
export { loadAccessControllers } from './load-access-controllers.ts'
export { loadDefinitionControllers } from './load-definition-controllers.ts'
export { loadIdentityControllers } from './load-identity-controllers.ts'
export { loadRemoteControllers } from './load-remote-controllers.ts'
export { managerLease, type NamedLease, whileLeaseIsFree } from './manager-lease.ts'
export { namespaceController, type ServedContent } from './namespaces.ts'
export { policyKind, policyStatusController } from './policy-status.ts'
export { isRemoteVersion, waitForRemoteVersion } from './remote-version.ts'
export { ServerPresence } from './server-presence.ts'
export {
  advertisedAddress,
  leaveServerService,
  type ServerServiceOptions,
  serverServiceController,
  syncServerService,
} from './server-service.ts'
