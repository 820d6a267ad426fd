import type { Metrics } from '../../../observe/observe.ts'
import type { Attachment, Volume } from './attached-volumes.ts'
import { driverVolumeOf } from './attached-volumes.ts'
import type { ForcedReason } from './decide-attachments.ts'

/** The volumes of a node: those that its pods need, and the attachments to it. */
export interface NodeVolumes {
  readonly wanted: readonly Volume[]
  readonly attachments: readonly Attachment[]
}

/** Counts of volumes that are attached, and that should be. */
export interface AttachmentMetrics {
  /** What a node has from now on; undefined for a node that is gone. */
  seen(node: string, volumes: NodeVolumes | undefined): void
  /** A volume was taken from a node that was not asked any more. */
  forced(reason: ForcedReason): void
}

/** Counts under the names that dashboards of release 1.29 know; `domain` is where drivers are called by their full name. */
export function attachmentMetrics(metrics: Metrics, domain: string): AttachmentMetrics {
  const total = metrics.gauge('attachdetach_controller_total_volumes')
  const inUse = metrics.gauge('storage_count_attachable_volumes_in_use')
  const detaches = metrics.counter(
    'attach_detach_controller_attachdetach_controller_forced_detaches',
  )
  const known = new Map<string, readonly NodeCount[]>()
  metrics.onCollect(() => {
    total.clear()
    inUse.clear()
    for (const [node, counts] of known) {
      for (const { plugin, wanted, attached } of counts) {
        if (wanted > 0) inUse.set([node, plugin], wanted)
        total.add([plugin, 'desired_state_of_world'], wanted)
        total.add([plugin, 'actual_state_of_world'], attached)
      }
    }
  })
  return {
    seen(node, volumes) {
      const counts = volumes === undefined ? [] : countByDriver(volumes, domain)
      if (counts.length === 0) known.delete(node)
      else known.set(node, counts)
    },
    forced: (reason) => detaches.add([reason]),
  }
}

/** How many volumes of a driver a node has. */
interface NodeCount {
  readonly plugin: string
  readonly wanted: number
  readonly attached: number
}

function countByDriver({ wanted, attachments }: NodeVolumes, domain: string): readonly NodeCount[] {
  const wantedOf = (driver: string): number =>
    wanted.filter((volume) => driverVolumeOf(volume)?.driver === driver).length
  const attachedOf = (driver: string): number =>
    attachments.filter(({ spec }) => spec.attacher === driver).length
  const drivers = new Set([
    ...wanted.flatMap((volume) => driverVolumeOf(volume)?.driver ?? []),
    ...attachments.map(({ spec }) => spec.attacher),
  ])
  return [...drivers].map((driver) => ({
    plugin: `${domain}/csi:${driver}`,
    wanted: wantedOf(driver),
    attached: attachedOf(driver),
  }))
}
