/**
 * What several programs compute of a pod, a node and the volumes of pods, each in one place: what a pod needs, where its selectors and
 * tolerations let it be, which ports of its node it takes, which volume may be a claim's. Pure functions of what is passed in.
 */

export { type HostPort, hostPortsConflict, hostPortsOf } from './host-ports.ts'
export { matchesNodeAffinity, matchesNodeSelector, matchesNodeTerm } from './node-selection.ts'
export { podConditions } from './pod-conditions.ts'
export { type Containers, isSidecar, isSidecarOf, specOf } from './pod-containers.ts'
export { hasEnded } from './pod-phase.ts'
export { podClaimNames, podConfigMapNames, podSecretNames } from './pod-references.ts'
export { podRequests, podResources } from './pod-resources.ts'
export { containersOf, podSpecOf } from './pod-spec.ts'
export { phaseWith, statusWith } from './pod-status.ts'
export { qosClassOf } from './qos-class.ts'
export {
  addQuantities,
  addResources,
  countQuantity,
  isPositive,
  maxResources,
  parseResourceList,
  pickResources,
  printResourceList,
  type QuantityTexts,
  type ResourceList,
  subtractResources,
  wholeQuantity,
} from './resource-lists.ts'
export { toleratedBy, tolerates, untolerated } from './tolerations.ts'
export {
  capacityOf,
  claimNameOf,
  hasOtherMode,
  isOfClaim,
  requestedStorage,
  storageClassOf,
} from './volume-claims.ts'
