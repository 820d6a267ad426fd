/** Which volume a claim may have. */
import type { PersistentVolume } from '../../../../generated/apis/core/v1/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { labelRequirementsOf, matchesLabels } from '../../../kernel/meta/label-selector.ts'
import type { Metadata, Stored } from '../../../kernel/meta/object.ts'
import { compareQuantities, type Quantity } from '../../../kernel/values/quantity.ts'
import {
  capacityOf,
  hasOtherMode,
  isOfClaim,
  requestedStorage,
  storageClassOf,
} from '../../../pods/pods.ts'
import type { BindingNames } from './binding-names.ts'

export type Claim = Stored<PersistentVolumeClaim>
export type Volume = Stored<PersistentVolume>

/** The class of a claim or of a volume; empty for one without. */
export function classOf(
  object: { readonly metadata: Metadata; readonly spec?: { readonly storageClassName?: string } },
  { betaClass }: BindingNames,
): string {
  return storageClassOf(object, betaClass)
}

/** The key of the claim that a volume is of; undefined for a volume that is free. */
export function claimKeyOf({ spec }: Volume): string | undefined {
  const { claimRef } = spec ?? {}
  return claimRef && `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`
}

/** How a claim is matched. */
export interface MatchOptions {
  readonly names: BindingNames
  /** The claim waits for its pod: only a volume that is meant for it is given, a free one is the scheduler's to choose. */
  readonly delayed: boolean
}

/**
 * The volume that a claim is to have: of those with the fewest access modes that are enough the one that is meant for it,
 * else the smallest that is free.
 */
export function findVolume(
  claim: Claim,
  volumes: readonly Volume[],
  options: MatchOptions,
): Volume | undefined {
  const fits = fitting(claim, options)
  let best: Candidate | undefined
  for (const volume of volumes) {
    const found = fits(volume)
    if (found !== undefined && (best === undefined || isBetter(found, best))) best = found
  }
  return best?.volume
}

/** A test of whether a free volume fits a claim. */
export function fittingVolumes(claim: Claim, options: MatchOptions): (volume: Volume) => boolean {
  const fits = fitting(claim, options)
  return (volume) => fits(volume) !== undefined
}

interface Candidate {
  readonly volume: Volume
  readonly modes: string
  readonly isMeant: boolean
  readonly size: Quantity
}

function fitting(
  claim: Claim,
  { names, delayed }: MatchOptions,
): (volume: Volume) => Candidate | undefined {
  const { accessModes = [], selector } = claim.spec ?? {}
  const requested = requestedStorage(claim)
  const requirements = selector && labelRequirementsOf(selector)
  const wanted = classOf(claim, names)
  return (volume) => {
    const { metadata, spec, status } = volume
    const isMeant = isOfClaim(volume, claim)
    const size = capacityOf(volume)
    const modes = spec?.accessModes ?? []
    if (spec?.claimRef !== undefined && !isMeant) return undefined
    if (metadata.deletionTimestamp !== undefined || compareQuantities(size, requested) < 0)
      return undefined
    if (hasOtherMode(volume, claim) || !accessModes.every((mode) => modes.includes(mode)))
      return undefined
    const candidate = { volume, isMeant, size, modes: modeText(modes) }
    if (isMeant) return candidate
    if (delayed || status?.phase !== 'Available' || classOf(volume, names) !== wanted)
      return undefined
    if (selector !== undefined && !matchesLabels(requirements ?? [], metadata.labels))
      return undefined
    return candidate
  }
}

function isBetter(one: Candidate, other: Candidate): boolean {
  if (one.modes.length !== other.modes.length) return one.modes.length < other.modes.length
  if (one.modes !== other.modes) return one.modes < other.modes
  if (one.isMeant !== other.isMeant) return one.isMeant
  const larger = compareQuantities(one.size, other.size)
  return larger < 0 || (larger === 0 && one.volume.metadata.name < other.volume.metadata.name)
}

/** One letter an access mode, each once, in a fixed order. */
function modeText(modes: readonly string[]): string {
  const all = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod']
  return all.flatMap((mode, at) => (modes.includes(mode) ? [String(at)] : [])).join('')
}

/** Why a free volume cannot be the one that a claim asks for by name; undefined if it can. */
export function mismatchOf(volume: Volume, claim: Claim, names: BindingNames): string | undefined {
  const { metadata, spec } = volume
  const missing = claim.spec?.accessModes?.some((mode) => !spec?.accessModes?.includes(mode))
  if (metadata.deletionTimestamp !== undefined)
    return `the volume is marked for deletion ${JSON.stringify(metadata.name)}`
  if (compareQuantities(capacityOf(volume), requestedStorage(claim)) < 0)
    return 'requested PV is too small'
  if (classOf(volume, names) !== classOf(claim, names)) return 'storageClassName does not match'
  if (hasOtherMode(volume, claim)) return 'incompatible volumeMode'
  return missing ? 'incompatible accessMode' : undefined
}
