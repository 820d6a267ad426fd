import type { StorageClass } from '../../../../generated/apis/storage/v1/storage-class.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { isOfClaim } from '../../../pods/pods.ts'
import type { EventFacts } from '../../../recorder/recorder.ts'
import { annotationOf, type BindingNames, staleDriver } from './binding-names.ts'
import { type Claim, classOf, findVolume, mismatchOf, type Volume } from './match-volume.ts'

/** What is known when a claim is decided about. */
export interface ObservedClaim {
  readonly claim: Claim
  /** The volume that the claim names, if it is there. */
  readonly named: Volume | undefined
  /** The volumes that it may have: those meant for it, and free ones of its class. */
  readonly candidates: readonly Volume[]
  /** The class that it names, if it is there. */
  readonly storageClass: Stored<StorageClass> | undefined
  /** The class that claims without one get, if there is one. */
  readonly defaultClass: string | undefined
  /** Names of pods that use the claim and have no node yet. */
  readonly waitingPods: readonly string[]
}

/** What is to be done for a claim. */
export type ClaimPlan =
  | { readonly do: 'assign'; readonly className: string }
  | { readonly do: 'bind'; readonly volume: Volume }
  /** Its driver has another name than its provisioner, which is told to it. */
  | { readonly do: 'migrate'; readonly driver: string | undefined }
  | { readonly do: 'lose'; readonly event: EventFacts }
  | { readonly do: 'provision' }
  /** No volume yet: it is pending. */
  | { readonly do: 'wait'; readonly event?: EventFacts }
  /** Another claim has the volume that this one was given. */
  | { readonly do: 'refuse'; readonly event: EventFacts; readonly why: string }

/** What is to be done for a claim. */
export function decideClaim(observed: ObservedClaim, names: BindingNames): ClaimPlan {
  const { claim } = observed
  const keys = [names.storageProvisioner, names.betaStorageProvisioner]
  const stale = staleDriver(claim, keys, names)
  if (stale !== undefined) return { do: 'migrate', ...stale }
  if (annotationOf(claim, names.bindCompleted) !== undefined) return decideBound(observed)
  const { volumeName = '' } = claim.spec ?? {}
  return volumeName === '' ? decideFree(observed, names) : decideNamed(observed, names)
}

function decideFree(observed: ObservedClaim, names: BindingNames): ClaimPlan {
  const { claim, candidates, storageClass, defaultClass } = observed
  const delayed = storageClass?.volumeBindingMode === 'WaitForFirstConsumer'
  const volume = findVolume(claim, candidates, { names, delayed })
  if (volume !== undefined) return { do: 'bind', volume }
  if (defaultClass !== undefined && !hasClass(claim, names))
    return { do: 'assign', className: defaultClass }
  if (delayed && annotationOf(claim, names.selectedNode) === undefined)
    return { do: 'wait', event: waitingEvent(observed) }
  if (classOf(claim, names) !== '') return { do: 'provision' }
  const message = 'no persistent volumes available for this claim and no storage class is set'
  return { do: 'wait', event: { type: 'Normal', reason: 'FailedBinding', message } }
}

function hasClass(claim: Claim, { betaClass }: BindingNames): boolean {
  return annotationOf(claim, betaClass) !== undefined || claim.spec?.storageClassName !== undefined
}

function waitingEvent({ waitingPods: pods }: ObservedClaim): EventFacts {
  if (pods.length === 0) {
    const message = 'waiting for first consumer to be created before binding'
    return { type: 'Normal', reason: 'WaitForFirstConsumer', message }
  }
  const message = `waiting for pod${pods.length > 1 ? 's' : ''} ${pods.join(',')} to be scheduled`
  return { type: 'Normal', reason: 'WaitForPodScheduled', message }
}

/** A claim that asks for a volume by name. */
function decideNamed({ claim, named: volume }: ObservedClaim, names: BindingNames): ClaimPlan {
  if (volume === undefined) return { do: 'wait' }
  const shown = JSON.stringify(volume.metadata.name)
  if (volume.spec?.claimRef === undefined) {
    const problem = mismatchOf(volume, claim, names)
    if (problem === undefined) return { do: 'bind', volume }
    const message = `Cannot bind to requested volume ${shown}: ${problem}`
    return { do: 'wait', event: { type: 'Warning', reason: 'VolumeMismatch', message } }
  }
  if (isOfClaim(volume, claim)) return { do: 'bind', volume }
  const message = `volume ${shown} already bound to a different claim.`
  const event: EventFacts = { type: 'Warning', reason: 'FailedBinding', message }
  if (annotationOf(claim, names.boundByController) === undefined) return { do: 'wait', event }
  return { do: 'refuse', event, why: message }
}

/** A claim that was bound once. */
function decideBound({ claim, named: volume }: ObservedClaim): ClaimPlan {
  const lost = (reason: string, message: string): ClaimPlan => ({
    do: 'lose',
    event: { type: 'Warning', reason, message },
  })
  if ((claim.spec?.volumeName ?? '') === '')
    return lost(
      'ClaimLost',
      'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
    )
  if (volume === undefined)
    return lost(
      'ClaimLost',
      'Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    )
  const { claimRef } = volume.spec ?? {}
  if (claimRef === undefined || claimRef.uid === claim.metadata.uid) return { do: 'bind', volume }
  return lost(
    'ClaimMisbound',
    'Two claims are bound to the same volume, this one is bound incorrectly',
  )
}

/** The class that claims without one get: of several that say so the newest, then the first by name. */
export function defaultClassOf(
  classes: readonly Stored<StorageClass>[],
  { defaultClass }: BindingNames,
): string | undefined {
  const [first] = classes
    .filter((one) => defaultClass.some((key) => annotationOf(one, key) === 'true'))
    .sort(({ metadata: a }, { metadata: b }) => {
      const newer = Date.parse(b.creationTimestamp) - Date.parse(a.creationTimestamp)
      return newer !== 0 ? newer : a.name < b.name ? -1 : 1
    })
  return first?.metadata.name
}
