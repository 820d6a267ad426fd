import type { ResourceClaim } from '../../../generated/apis/resource/v1alpha2/resource-claim.ts'
import type { ResourceClass } from '../../../generated/apis/resource/v1alpha2/resource-class.ts'
import type { Strategy } from '../strategy/strategy.ts'

/** A class names a driver. */
export const resourceClass: Strategy<ResourceClass> = {
  check: (object) => object.visit('driverName', 'parametersRef', 'suitableNodes'),
}

/** A claim asks for something of a class. That its spec never changes the schema says. */
export const resourceClaim: Strategy<ResourceClaim> = {
  check: (object) => object.visit('spec'),
}
