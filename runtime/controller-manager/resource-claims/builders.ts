import type { Builders } from '../contract/build-controller.ts'

/** The controllers of devices and the like that pods ask for. */
export const resourceClaims: Builders = {
  'resourceclaim-controller': async (context) =>
    (await import('./resource-claims.ts')).resourceClaimController(context),
}
