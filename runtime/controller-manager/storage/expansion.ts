import { persistentVolumes } from '../../../generated/apis/core/v1/persistent-volume.ts'
import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from '../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { formatKey, objectKey } from '../../informer/informer.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { compareQuantities, parseQuantity } from '../../kernel/values/quantity.ts'
import { again, done, type KeyController, watching } from '../../reconcile/reconcile.ts'
import type { EventFacts } from '../../recorder/recorder.ts'
import type { BuildContext } from '../contract/build-controller.ts'
import { annotationOf, type BindingNames, bindingNames, driverOf } from './binding/binding-names.ts'
import type { Volume } from './binding/match-volume.ts'

/**
 * Says of claims that ask for more than they have who is to enlarge their volumes: drivers do, nothing here does.
 *
 *   reads    PersistentVolumeClaim, PersistentVolume
 *   writes   PersistentVolumeClaim: the annotation that names the driver, by its status; Event
 *   wakes    when what a bound claim asks for or has changes
 *   settles  when each of these claims says who enlarges its volume
 */
export async function volumeExpander({
  name,
  platform,
  concurrency = 10,
}: BuildContext): Promise<readonly KeyController[]> {
  const names = bindingNames(platform)
  const resizer = `volume.${platform.domain}/storage-resizer`
  /** The sizes for which an event was recorded, by claim. */
  const told = new Map<string, string>()
  return [
    {
      ...{ name, concurrency, component: 'volume_expand' },
      watches: [
        watching(persistentVolumeClaims, (claim) => [objectKey(claim)], { where: wantsMore }),
        watching(persistentVolumes, () => []),
      ],
      async reconcile(key, { cached, client, event, signal }) {
        const claims = client.resource(persistentVolumeClaims)
        const seen = cached(persistentVolumeClaims).get(key)
        const id = formatKey(key)
        if (seen === undefined || !wantsMore(seen)) {
          told.delete(id)
          return done
        }
        const sizes = `${seen.spec?.resources?.requests?.storage} ${seen.status?.capacity?.storage}`
        if (told.get(id) === sizes) return done
        const { volumeName = '' } = seen.spec ?? {}
        const volume = cached(persistentVolumes).get({ name: volumeName })
        const { claimRef } = volume?.spec ?? {}
        if (volume === undefined || claimRef?.uid !== seen.metadata.uid)
          return again(1000, 'its volume is not bound to it yet')
        const plan = decideExpansion(volume, names)
        event(seen, plan.event)
        told.set(id, sizes)
        if (plan.driver === undefined || annotationOf(seen, resizer) === plan.driver) return done
        const patch = { metadata: { annotations: { [resizer]: plan.driver } } }
        try {
          await claims.mergePatch(key, patch, { subresource: 'status' }, signal)
        } catch (error) {
          if (!isStatus(error, 'NotFound')) throw error
        }
        return done
      },
    },
  ]
}

/** True for a bound claim that asks for more than it has. */
export function wantsMore({ spec, status }: Stored<PersistentVolumeClaim>): boolean {
  if (status?.phase !== 'Bound') return false
  const asked = parseQuantity(spec?.resources?.requests?.storage ?? '0')
  const has = parseQuantity(status.capacity?.storage ?? '0')
  return asked !== undefined && has !== undefined && compareQuantities(asked, has) > 0
}

/** Who enlarges a volume. */
export interface Expansion {
  readonly event: EventFacts
  /** The driver that is to be named on the claim. */
  readonly driver?: string
}

/** Sources of clouds by the provisioners that they came from. */
const clouds = {
  awsElasticBlockStore: 'aws-ebs',
  azureDisk: 'azure-disk',
  azureFile: 'azure-file',
  cinder: 'cinder',
  gcePersistentDisk: 'gce-pd',
  vsphereVolume: 'vsphere-volume',
} as const

/** Who enlarges a volume: the driver of its cloud, or something that is not known here. */
export function decideExpansion({ spec = {} }: Volume, names: BindingNames): Expansion {
  for (const [source, plugin] of Object.entries(clouds)) {
    const { internal } = names
    const driver = driverOf(`${internal}${plugin}`, names)
    if (spec[source as keyof typeof clouds] === undefined || driver === undefined) continue
    const message = `CSI migration enabled for ${internal}${plugin}; waiting for external resizer to expand the pvc`
    return { driver, event: { type: 'Normal', reason: 'ExternalExpanding', message } }
  }
  const isKnown = spec.fc !== undefined
  return {
    event: {
      type: isKnown ? 'Normal' : 'Warning',
      reason: 'ExternalExpanding',
      message: 'waiting for an external controller to expand this PVC',
    },
  }
}
