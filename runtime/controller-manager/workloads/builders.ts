import type { Builders } from '../contract/build-controller.ts'

/** The controllers that keep pods. */
export const workloads: Builders = {
  'daemonset-controller': async (context) =>
    (await import('./daemon-set/daemon-set-controller.ts')).daemonSetController(context),
  'statefulset-controller': async (context) =>
    (await import('./stateful-set/stateful-set-controller.ts')).statefulSetController(context),
}
