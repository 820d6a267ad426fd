/** What keeps a volume from being there for a pod; tried again. */
export class VolumeError extends Error {
  override readonly name = 'VolumeError'
}
