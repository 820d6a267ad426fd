/** The two sides of a binding: what is written to a claim and to a volume. */
import { persistentVolumes } from '../../../../generated/apis/core/v1/persistent-volume.ts'
import {
  type PersistentVolumeClaimStatus,
  persistentVolumeClaims,
} from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { parseQuantity } from '../../../kernel/values/quantity.ts'
import { isOfClaim } from '../../../pods/pods.ts'
import type { KeyContext } from '../../../reconcile/reconcile.ts'
import type { EventFacts } from '../../../recorder/recorder.ts'
import { annotationOf, type BindingNames } from './binding-names.ts'
import type { Claim, Volume } from './match-volume.ts'

type Phase = NonNullable<NonNullable<Volume['status']>['phase']>

/**
 * Binds a volume and a claim to each other. The volume is reserved first, on the condition that it has not changed: of
 * several claims that are to have it one gets it. Whatever part of it was done before is not done again.
 */
export async function bind(
  volume: Volume,
  claim: Claim,
  names: BindingNames,
  context: KeyContext,
): Promise<void> {
  const reserved = await keepPhase(await reserve(volume, claim, names, context), 'Bound', context)
  const bound = await bindClaim(claim, reserved, names, context)
  await keepClaimStatus(bound, statusOfBound(bound, reserved, names), context)
}

async function reserve(
  volume: Volume,
  claim: Claim,
  names: BindingNames,
  { client, signal }: KeyContext,
): Promise<Volume> {
  const { name, namespace, uid, resourceVersion } = claim.metadata
  const { claimRef } = volume.spec ?? {}
  const isNamed = claimRef?.name === name && claimRef.namespace === namespace
  if (isNamed && claimRef.uid === uid && isOfClaim(volume, claim)) return volume
  const metadata = isOfClaim(volume, claim)
    ? volume.metadata
    : annotated(volume.metadata, names.boundByController)
  const reference = { kind: 'PersistentVolumeClaim', apiVersion: 'v1' }
  const spec = { ...volume.spec, claimRef: { ...reference, namespace, name, uid, resourceVersion } }
  return client.resource(persistentVolumes).update({ ...volume, metadata, spec }, {}, signal)
}

async function bindClaim(
  claim: Claim,
  volume: Volume,
  names: BindingNames,
  { client, signal }: KeyContext,
): Promise<Claim> {
  const volumeName = volume.metadata.name
  const isNamed = claim.spec?.volumeName === volumeName
  if (isNamed && annotationOf(claim, names.bindCompleted) !== undefined) return claim
  const metadata = annotated(
    isNamed ? claim.metadata : annotated(claim.metadata, names.boundByController),
    names.bindCompleted,
  )
  const spec = { ...claim.spec, volumeName }
  return client.resource(persistentVolumeClaims).update({ ...claim, metadata, spec }, {}, signal)
}

/** Metadata with an annotation whose value says nothing, unless it is there. */
function annotated<M extends Claim['metadata'] | Volume['metadata']>(metadata: M, key: string): M {
  const { annotations = {} } = metadata
  if (Object.hasOwn(annotations, key)) return metadata
  return { ...metadata, annotations: { ...annotations, [key]: 'yes' } }
}

function statusOfBound(
  { status = {} }: Claim,
  volume: Volume,
  names: BindingNames,
): PersistentVolumeClaimStatus {
  const { accessModes, capacity = {} } = volume.spec ?? {}
  const { capacity: before, ...rest } = status
  const bound = { ...rest, phase: 'Bound', ...(accessModes && { accessModes }) } as const
  if (status.phase === 'Bound') return { ...bound, ...(before && { capacity: before }) }
  const sizeBefore = annotationOf(volume, names.sizeBefore)
  if (sizeBefore === undefined) return { ...bound, capacity }
  const storage = parseQuantity(sizeBefore) === undefined ? capacity.storage : sizeBefore
  return { ...bound, capacity: { ...before, ...(storage && { storage }) } }
}

/** Writes that a claim has no volume, and why not. */
export async function keepUnbound(
  claim: Claim,
  phase: 'Lost' | 'Pending',
  context: KeyContext,
): Promise<Claim> {
  const { accessModes: _modes, capacity: _capacity, ...rest } = claim.status ?? {}
  return keepClaimStatus(claim, { ...rest, phase }, context)
}

async function keepClaimStatus(
  claim: Claim,
  status: PersistentVolumeClaimStatus,
  { client, signal }: KeyContext,
): Promise<Claim> {
  if (deepEqual(status, claim.status ?? {})) return claim
  return client.resource(persistentVolumeClaims).updateStatus({ ...claim, status }, {}, signal)
}

/** Writes the phase of a volume, unless it is in it already. */
export async function keepPhase(
  volume: Volume,
  phase: Phase,
  { client, signal }: KeyContext,
  message?: string,
): Promise<Volume> {
  if (volume.status?.phase === phase) return volume
  const { message: _before, ...rest } = volume.status ?? {}
  const status = { ...rest, phase, ...(message !== undefined && { message }) }
  return client.resource(persistentVolumes).updateStatus({ ...volume, status }, {}, signal)
}

/** Says that what was to be done with a volume failed, once. */
export async function keepFailed(
  volume: Volume,
  { reason, message }: Pick<EventFacts, 'message' | 'reason'>,
  context: KeyContext,
): Promise<void> {
  if (volume.status?.phase === 'Failed') return
  const written = await keepPhase(volume, 'Failed', context, message)
  context.event(written, { type: 'Warning', reason, message })
}

/** Frees a volume of its claim: wholly, or of this very one where a user meant it for a claim of that name. */
export async function unbind(
  volume: Volume,
  names: BindingNames,
  context: KeyContext,
): Promise<void> {
  const { claimRef, ...spec } = volume.spec ?? {}
  const { annotations, ...metadata } = volume.metadata
  const { [names.boundByController]: byController, ...others } = annotations ?? {}
  const { uid: _uid, ...reference } = claimRef ?? {}
  const free =
    byController === undefined
      ? { ...volume, spec: { ...spec, claimRef: reference } }
      : {
          ...volume,
          ...{ spec, metadata: { ...metadata, ...(hasKeys(others) && { annotations: others }) } },
        }
  const { client, signal } = context
  const written = await client.resource(persistentVolumes).update(free, {}, signal)
  await keepPhase(written, 'Available', context)
}

function hasKeys(value: object): boolean {
  return Object.keys(value).length > 0
}
