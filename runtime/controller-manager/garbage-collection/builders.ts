import type { Builders } from '../contract/build-controller.ts'

/** The controllers that delete that no other object needs any more. */
export const garbageCollection: Builders = {
  'garbage-collector-controller': async (context) =>
    (await import('./garbage-collector.ts')).garbageCollectorController(context),
  'pod-garbage-collector-controller': async (context) =>
    (await import('./pod-garbage.ts')).podGarbageController(context),
  'ttl-after-finished-controller': async (context) =>
    (await import('./finished-jobs.ts')).finishedJobsController(context),
}
