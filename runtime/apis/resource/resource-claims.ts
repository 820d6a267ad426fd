import type { PodSchedulingContext } from '../../../generated/apis/resource/v1alpha2/pod-scheduling-context.ts'
import type { ResourceClaim } from '../../../generated/apis/resource/v1alpha2/resource-claim.ts'
import type { ResourceClaimTemplate } from '../../../generated/apis/resource/v1alpha2/resource-claim-template.ts'
import type { ResourceClass } from '../../../generated/apis/resource/v1alpha2/resource-class.ts'
import type { Strategy } from '../strategy/strategy.ts'

/** A class names a driver. */
export const resourceClass: Strategy<ResourceClass> = {
  check: (object) => object.visit('driverName', 'parametersRef'),
}

/** A claim asks for something of a class. */
export const resourceClaim: Strategy<ResourceClaim> = {
  check: (object) => object.child('spec').visit('resourceClassName', 'parametersRef'),
}

/** A template makes claims. */
export const resourceClaimTemplate: Strategy<ResourceClaimTemplate> = {
  check: (object) => object.child('spec').child('spec').visit('resourceClassName', 'parametersRef'),
}

const mostNodes = 128

/** A pod is considered for a bounded number of nodes. */
export const podSchedulingContext: Strategy<PodSchedulingContext> = {
  check: (object) => object.child('spec').tooMany('potentialNodes', mostNodes),
}
