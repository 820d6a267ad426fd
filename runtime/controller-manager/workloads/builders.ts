import type { Builders } from '../contract/build-controller.ts'

/** The controllers that keep pods. */
export const workloads: Builders = {
  'statefulset-controller': async (context) =>
    (await import('./stateful-set/stateful-set-controller.ts')).statefulSetController(context),
}
