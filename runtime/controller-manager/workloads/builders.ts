import type { Builders } from '../contract/build-controller.ts'

/** The controllers that keep pods running. */
export const workloads: Builders = {
  'daemonset-controller': async (context) =>
    (await import('./daemon-set/daemon-set-controller.ts')).daemonSetController(context),
  'deployment-controller': async (context) =>
    (await import('./deployment/deployments.ts')).deploymentController(context),
  'replicaset-controller': async (context) =>
    (await import('./replica-set/replica-sets.ts')).replicaSetController(context),
  'replicationcontroller-controller': async (context) =>
    (await import('./replica-set/replica-sets.ts')).replicationController(context),
  'statefulset-controller': async (context) =>
    (await import('./stateful-set/stateful-set-controller.ts')).statefulSetController(context),
}
