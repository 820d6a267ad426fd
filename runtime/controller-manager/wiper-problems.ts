import type { OrchControllerManagerConfiguration } from '../../generated/config/manager/v1alpha1.ts'

/** What is wrong with the files that say which pods wipe volumes. */
export async function wiperProblems({
  PersistentVolumeBinderController: { VolumeConfiguration },
}: OrchControllerManagerConfiguration): Promise<readonly string[]> {
  const { PersistentVolumeRecyclerConfiguration: recycler } = VolumeConfiguration
  const files = [recycler.PodTemplateFilePathHostPath, recycler.PodTemplateFilePathNFS]
  if (files.every((file) => file === '')) return []
  const { wiperTemplates } = await import('./storage/binding/wiper-template.ts')
  return (await wiperTemplates(recycler)).problems
}
