import type { Builders } from '../contract/build-controller.ts'

/** The controllers that say how many pods may be missing at a time. */
export const disruption: Builders = {
  'disruption-controller': async (context) =>
    (await import('./disruption-budgets.ts')).disruptionController(context),
}
