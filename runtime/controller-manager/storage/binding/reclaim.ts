/** What becomes of volumes whose claim is gone: they stay, go, or are wiped by a pod and free again. */

import { persistentVolumes } from '../../../../generated/apis/core/v1/persistent-volume.ts'
import { type Pod, pods } from '../../../../generated/apis/core/v1/pod.ts'
import type { PersistentVolumeRecyclerConfiguration } from '../../../../generated/config/manager/v1alpha1.ts'
import type { Key } from '../../../client/client.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { parseQuantity } from '../../../kernel/values/quantity.ts'
import type { KeyContext } from '../../../reconcile/reconcile.ts'
import { keepFailed, unbind } from './bind.ts'
import type { BindingNames } from './binding-names.ts'
import { decideReclaim } from './decide-volume.ts'
import { folderProblem, removeFolder } from './host-folder.ts'
import { claimKeyOf, type Volume } from './match-volume.ts'
import { pluginOf, type VolumeMetrics } from './volume-metrics.ts'
import type { WipedSource, WiperTemplate, WiperTemplates } from './wiper-template.ts'

/** What volumes are made away with. */
export interface ReclaimOptions {
  readonly names: BindingNames
  /** Whether folders of this machine are removed: only where it makes them. */
  readonly hostFolders: boolean
  readonly recycler: PersistentVolumeRecyclerConfiguration
  readonly wipers: WiperTemplates['templates']
  readonly counts: VolumeMetrics
}

/** Does with a volume whose claim is gone what its policy says. */
export async function reclaim(
  volume: Volume,
  options: ReclaimOptions,
  context: KeyContext,
): Promise<void> {
  const plan = decideReclaim(volume, options.names)
  switch (plan.is) {
    case 'kept':
    case 'left':
      return
    case 'failed':
      return keepFailed(volume, plan, context)
    case 'folder':
      await options.counts.operation(
        pluginOf(volume, options.names),
        'delete',
        {
          run: () => deleteFolder(volume, plan.path, options, context),
          failed: (problem) => problem !== undefined,
        },
        context,
      )
      return
    case 'wiped':
      return wipe(volume, plan.source, options, context)
  }
}

/** Removes the folder and its volume; gives why the folder cannot be removed. */
async function deleteFolder(
  volume: Volume,
  path: string,
  { hostFolders }: ReclaimOptions,
  context: KeyContext,
): Promise<string | undefined> {
  const { client, signal } = context
  const refused = folderProblem(path)
  const message = refused ?? (hostFolders ? await removeFolder(path) : undefined)
  if (message !== undefined) {
    await keepFailed(volume, { reason: 'VolumeFailedDelete', message }, context)
    return message
  }
  if (volume.metadata.deletionTimestamp !== undefined) return undefined
  try {
    await client.resource(persistentVolumes).delete(volume, { unchanged: true }, signal)
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error
  }
  return undefined
}

const wiperPrefix = 'recycler-for-'

/** The volumes that a pod wipes, by its name. */
export function wipedVolumes({ metadata: { name } }: Pick<Pod, 'metadata'>): readonly Key[] {
  return name?.startsWith(wiperPrefix) ? [{ name: name.slice(wiperPrefix.length) }] : []
}

/** Looks after the pod that wipes a volume: it is made, waited for, and goes. */
async function wipe(
  volume: Volume,
  source: WipedSource,
  { names, recycler, wipers }: ReclaimOptions,
  context: KeyContext,
): Promise<void> {
  const { client, event, signal } = context
  const { metadata, spec: wanted } = wiper(volume, source, wipers[source], recycler)
  const own = client.resource(pods).in(metadata.namespace)
  const pod = context.cached(pods).get(metadata)
  if (pod === undefined) {
    const users = usersOf(volume, context)
    if (users.length > 0) {
      const message = `Volume is used by pods: ${users.join(',')}`
      return event(volume, { type: 'Normal', reason: 'VolumeFailedRecycle', message })
    }
    await own.create({ metadata, spec: wanted }, {}, signal)
    return
  }
  const failure = wipeFailure(pod, wanted)
  if (failure === undefined && pod.status?.phase !== 'Succeeded') return
  if (pod.metadata.deletionTimestamp === undefined) await own.delete(pod, {}, signal)
  if (failure !== undefined) {
    const message = `Recycle failed: ${failure}`
    return keepFailed(volume, { reason: 'VolumeFailedRecycle', message }, context)
  }
  event(volume, { type: 'Normal', reason: 'VolumeRecycled', message: 'Volume recycled' })
  await unbind(volume, names, context)
}

/** Why a pod wipes no volume; undefined while it does, and once it has. */
function wipeFailure(
  { spec, status, metadata }: Stored<Pod>,
  wanted: NonNullable<Pod['spec']>,
): string | undefined {
  if (!deepEqual(spec?.volumes?.[0]?.hostPath?.path, wanted.volumes?.[0]?.hostPath?.path))
    return 'old recycler pod found, will retry later'
  if (status?.phase === 'Failed')
    return `failed to recycle volume: ${status.message ?? 'pod failed, pod.Status.Message unknown'}`
  const isDeleted = metadata.deletionTimestamp !== undefined && status?.phase !== 'Succeeded'
  return isDeleted ? 'failed to recycle volume: recycler pod was deleted' : undefined
}

/** Pods that use the claim of a volume and have not ended. */
function usersOf(volume: Volume, { cached }: KeyContext): readonly string[] {
  return cached(pods)
    .index('claims', claimKeyOf(volume) ?? '')
    .filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    .sort()
}

const nanosOfGi = 2n ** 30n * 10n ** 9n

/** The pod that empties a volume, within a time that grows with its size. */
export function wiper(
  { metadata: { name }, spec }: Volume,
  source: WipedSource,
  template: WiperTemplate,
  recycler: PersistentVolumeRecyclerConfiguration,
) {
  const [least, increment] =
    source === 'nfs'
      ? [recycler.MinimumTimeoutNFS, recycler.IncrementTimeoutNFS]
      : [recycler.MinimumTimeoutHostPath, recycler.IncrementTimeoutHostPath]
  const { nanos } = parseQuantity(spec?.capacity?.storage ?? '0') ?? { nanos: 0n }
  const wiped =
    source === 'nfs' ? { nfs: spec?.nfs } : { hostPath: { path: spec?.hostPath?.path ?? '' } }
  const [first, ...others] = template.spec.volumes ?? []
  const { generateName: _, ...metadata } = template.metadata
  return {
    metadata: {
      ...metadata,
      name: `${wiperPrefix}${name}`,
      namespace: metadata.namespace || 'default',
    },
    spec: {
      ...template.spec,
      activeDeadlineSeconds: Math.max(least, Number(nanos / nanosOfGi) * increment),
      volumes: [{ name: first?.name ?? 'vol', ...wiped }, ...others],
    } as NonNullable<Pod['spec']>,
  }
}
