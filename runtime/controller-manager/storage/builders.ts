import type { Builders } from '../contract/build-controller.ts'

/** The controllers of volumes and of what claims them. */
export const storage: Builders = {
  'ephemeral-volume-controller': async (context) =>
    (await import('./ephemeral-volumes.ts')).ephemeralVolumeController(context),
  'persistentvolume-binder-controller': async (context) =>
    (await import('./binding/volume-binder.ts')).volumeBinderController(context),
  'persistentvolume-protection-controller': async (context) =>
    (await import('./protection.ts')).volumeProtectionController(context),
  'persistentvolumeclaim-protection-controller': async (context) =>
    (await import('./protection.ts')).claimProtectionController(context),
}
