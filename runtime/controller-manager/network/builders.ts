import type { Builders } from '../contract/build-controller.ts'

/** The controllers of how pods are reached. */
export const network: Builders = {
  'endpoints-controller': async (context) =>
    (await import('./endpoints-controller.ts')).endpointsController(context),
  'endpointslice-controller': async (context) =>
    (await import('./slices-controller.ts')).slicesController(context),
  'endpointslice-mirroring-controller': async (context) =>
    (await import('./mirror-controller.ts')).mirrorController(context),
  'service-cidr-controller': async (context) =>
    (await import('./service-ranges.ts')).serviceRangeController(context),
}
