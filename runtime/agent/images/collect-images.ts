/** Removes images that nothing uses, where the disk fills. */
import { statfsSync } from 'node:fs'
import type { ContainerRuntime, Image } from '../../container-runtime/container-runtime.ts'
import { type Clock, pause } from '../../kernel/async/clock.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import type { Log } from '../../observe/observe.ts'

/** When images go. */
export interface CollectionSettings {
  /** Percentages of the disk: from the first on images go, until it is below the second. 100 never. */
  readonly highPercent: number
  readonly lowPercent: number
  readonly leastAgeMs: number
  /** 0 for any age. */
  readonly mostAgeMs: number
}

/** An image, when it was seen first, and used last. */
export interface KnownImage {
  readonly image: Image
  readonly seenAt: number
  readonly usedAt: number
  readonly isUsed: boolean
}

/** How full the disk of images is. */
export interface Disk {
  readonly capacity: number
  readonly available: number
}

export interface Collected {
  readonly remove: readonly Image[]
  /** Bytes that should be freed and cannot. */
  readonly missing: number
}

/** Decides which images go: none that is used, the longest unused ones first, as many as are needed. */
export function imagesToRemove(
  known: readonly KnownImage[],
  disk: Disk,
  { highPercent, lowPercent, leastAgeMs, mostAgeMs }: CollectionSettings,
  now: number,
): Collected {
  const unused = known
    .filter(({ isUsed, seenAt }) => !isUsed && now - seenAt >= leastAgeMs)
    .sort((a, b) => a.usedAt - b.usedAt || a.seenAt - b.seenAt)
  const old = unused.filter(({ usedAt }) => mostAgeMs > 0 && now - usedAt > mostAgeMs)
  const usedPart = disk.capacity === 0 ? 0 : 1 - disk.available / disk.capacity
  if (highPercent >= 100 || usedPart * 100 < highPercent) {
    return { remove: old.map(({ image }) => image), missing: 0 }
  }
  let missing = disk.capacity * (1 - lowPercent / 100) - disk.available
  const remove = old.map(({ image }) => image)
  for (const { bytes } of remove) missing -= bytes
  for (const { image } of unused) {
    if (missing <= 0) break
    if (remove.includes(image)) continue
    remove.push(image)
    missing -= image.bytes
  }
  return { remove, missing: Math.max(0, Math.round(missing)) }
}

export interface ImageCollectorOptions {
  readonly runtime: ContainerRuntime
  readonly settings: CollectionSettings
  /** The image that sandboxes are made of. */
  readonly keeps: string
  readonly clock: Clock
  readonly log: Log
  /** Tells what the node is told of its images. */
  tell(reason: string, message: string): void
}

/** Collects images. */
export interface ImageCollector {
  /** Removes every image that is not used. */
  removeUnused(): Promise<void>
  run(signal: AbortSignal): Promise<void>
}

const everyMs = 300_000

/** Collects the images of a runtime. */
export function createImageCollector(options: ImageCollectorOptions): ImageCollector {
  const { runtime, settings, keeps, clock, log } = options
  let seen = new Map<string, { readonly seenAt: number; readonly usedAt: number }>()

  async function look(): Promise<readonly KnownImage[]> {
    const now = clock.now()
    const [images, containers] = await Promise.all([runtime.listImages(), runtime.listContainers()])
    const used = new Set(containers.flatMap((one) => [one.imageRef, one.config.image]))
    const known = images.map((image) => {
      const names = [image.id, ...image.tags, ...image.digests]
      const isKept = image.isPinned === true || image.tags.includes(keeps)
      const isUsed = isKept || names.some((name) => used.has(name))
      const before = seen.get(image.id) ?? { seenAt: now, usedAt: 0 }
      return { image, isUsed, seenAt: before.seenAt, usedAt: isUsed ? now : before.usedAt }
    })
    seen = new Map(known.map(({ image, seenAt, usedAt }) => [image.id, { seenAt, usedAt }]))
    return known
  }

  async function remove(images: readonly Image[]): Promise<void> {
    for (const { id, tags, bytes } of images) {
      try {
        await runtime.removeImage(id)
        log.info('an image that nothing uses was removed', { image: tags[0] ?? id, bytes })
      } catch (error) {
        log.error('an image cannot be removed', { image: tags[0] ?? id }, error)
      }
    }
  }

  async function collect(): Promise<void> {
    const [place] = await runtime.imageFileSystems()
    const known = await look()
    if (place === undefined) return
    const { bavail, blocks, bsize } = statfsSync(place.mountpoint)
    const disk = { available: bavail * bsize, capacity: blocks * bsize }
    if (disk.capacity === 0) {
      return options.tell('InvalidDiskCapacity', 'invalid capacity 0 on image filesystem')
    }
    const found = imagesToRemove(known, disk, settings, clock.now())
    await remove(found.remove)
    if (found.missing === 0) return
    const message = `Failed to garbage collect required amount of images. Attempted to free ${found.missing} bytes more than there were to free.`
    options.tell('FreeDiskSpaceFailed', message)
  }

  return {
    removeUnused: async () =>
      remove((await look()).filter(({ isUsed }) => !isUsed).map(({ image }) => image)),
    async run(signal) {
      while (!signal.aborted) {
        await collect().catch((error) =>
          options.tell('ImageGCFailed', `images cannot be collected: ${errorText(error)}`),
        )
        await pause(clock, everyMs, signal)
      }
    },
  }
}
