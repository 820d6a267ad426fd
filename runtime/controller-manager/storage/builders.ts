import type { Builders } from '../contract/build-controller.ts'

/** The controllers of volumes and of what claims them. */
export const storage: Builders = {
  'ephemeral-volume-controller': async (context) =>
    (await import('./ephemeral-volumes.ts')).ephemeralVolumeController(context),
  'persistentvolume-attach-detach-controller': async (context) =>
    (await import('./attachment/attach-detach.ts')).attachDetachController(context),
  'persistentvolume-binder-controller': async (context) =>
    (await import('./binding/volume-binder.ts')).volumeBinderController(context),
  'persistentvolume-expander-controller': async (context) =>
    (await import('./expansion.ts')).volumeExpander(context),
  'persistentvolume-protection-controller': async (context) =>
    (await import('./protection.ts')).volumeProtectionController(context),
  'persistentvolumeclaim-protection-controller': async (context) =>
    (await import('./protection.ts')).claimProtectionController(context),
  'storageversion-garbage-collector-controller': async (context) =>
    (await import('./storage-versions.ts')).storageVersionCollector(context),
}
