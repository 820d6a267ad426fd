import type { Builders } from '../contract/build-controller.ts'

/** The controllers that say how many pods there should be. */
export const autoscaling: Builders = {
  'horizontal-pod-autoscaler-controller': async (context) =>
    (await import('./autoscaler-controller.ts')).autoscalerController(context),
}
