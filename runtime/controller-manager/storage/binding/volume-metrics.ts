import { persistentVolumes } from '../../../../generated/apis/core/v1/persistent-volume.ts'
import { persistentVolumeClaims } from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { Metrics } from '../../../observe/observe.ts'
import type { KeyContext, Lookup } from '../../../reconcile/reconcile.ts'
import type { BindingNames } from './binding-names.ts'
import type { Volume } from './match-volume.ts'

/** What is done to a volume. */
export type VolumeOperation = 'provision' | 'delete'

/** Counts of volumes and claims, and of what is done to them. */
export interface VolumeMetrics {
  /** Where volumes and claims are seen from now on. */
  seenBy(lookup: Lookup): void
  /** A claim was to be given the usual class. */
  classAssigned(succeeded: boolean): void
  /** How long it took to do something to a volume; a failure is told by the result or thrown. */
  operation<T>(
    plugin: string,
    name: VolumeOperation,
    work: { readonly run: () => Promise<T>; readonly failed: (result: T) => boolean },
    context: Pick<KeyContext, 'clock'>,
  ): Promise<T>
}

/** Counts under the names that dashboards of release 1.29 know. */
export function volumeMetrics(metrics: Metrics, names: BindingNames): VolumeMetrics {
  const total = metrics.gauge('pv_collector_total_pv_count')
  const boundVolumes = metrics.gauge('pv_collector_bound_pv_count')
  const freeVolumes = metrics.gauge('pv_collector_unbound_pv_count')
  const boundClaims = metrics.gauge('pv_collector_bound_pvc_count')
  const freeClaims = metrics.gauge('pv_collector_unbound_pvc_count')
  const assigned = metrics.counter('retroactive_storageclass_total')
  const unassigned = metrics.counter('retroactive_storageclass_errors_total')
  const seconds = metrics.histogram('volume_operation_total_seconds')
  const errors = metrics.counter('volume_operation_total_errors')
  assigned.add([], 0)
  unassigned.add([], 0)
  let seen: Lookup | undefined
  metrics.onCollect(() => {
    for (const gauge of [total, boundVolumes, freeVolumes, boundClaims, freeClaims]) gauge.clear()
    for (const volume of seen?.cached(persistentVolumes).list() ?? []) {
      const { storageClassName = '', volumeMode = 'Filesystem' } = volume.spec ?? {}
      const ofClass = volume.status?.phase === 'Bound' ? boundVolumes : freeVolumes
      total.add([pluginOf(volume, names), volumeMode], 1)
      ofClass.add([storageClassName], 1)
    }
    for (const { metadata, status } of seen?.cached(persistentVolumeClaims).list() ?? []) {
      const inNamespace = status?.phase === 'Bound' ? boundClaims : freeClaims
      inNamespace.add([metadata.namespace], 1)
    }
  })
  return {
    seenBy(lookup) {
      seen = lookup
    },
    classAssigned(succeeded) {
      assigned.add([])
      if (!succeeded) unassigned.add([])
    },
    async operation(plugin, name, { run, failed }, { clock }) {
      const begun = clock.monotonic()
      try {
        const result = await run()
        if (failed(result)) errors.add([plugin, name])
        else seconds.observe([plugin, name], (clock.monotonic() - begun) / 1000)
        return result
      } catch (error) {
        errors.add([plugin, name])
        throw error
      }
    },
  }
}

/** What dashboards call the sort of a volume: the driver, or the plugin that was built in. */
export function pluginOf({ spec }: Volume, { internal }: BindingNames): string {
  if (spec?.csi !== undefined) return `${internal}csi:${spec.csi.driver}`
  if (spec?.hostPath !== undefined) return `${internal}host-path`
  if (spec?.local !== undefined) return `${internal}local-volume`
  return spec?.nfs === undefined ? 'N/A' : `${internal}nfs`
}
