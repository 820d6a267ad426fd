import type { Builders } from '../contract/build-controller.ts'

/** The controllers of what a cloud does for a cluster. They run where there is a provider. */
export const cloud: Builders = {
  'cloud-node-lifecycle-controller': async (context) =>
    (await import('./cloud-nodes/cloud-nodes.ts')).cloudNodesController(context),
  'node-route-controller': async (context) =>
    (await import('./node-routes/route-controller.ts')).routeController(context),
  'service-lb-controller': async (context) =>
    (await import('./service-balancers/balancer-controller.ts')).balancerController(context),
}
