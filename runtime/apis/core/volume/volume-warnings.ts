/** Warnings about volumes, persistent ones and claims of them. */
import type { PersistentVolume } from '../../../../generated/apis/core/v1/persistent-volume.ts'
import type { PersistentVolumeClaimSpec } from '../../../../generated/apis/core/v1/volume.ts'
import type { Metadata } from '../../../kernel/meta/object.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import type { LooseObject } from '../../../kernel/walker/loose.ts'
import { firstOf, type Texts, warnedField } from '../../strategy/warned-field.ts'
import { deprecatedKeys, deprecatedVolume } from '../../types/deprecations.ts'
import { fractionalAmounts } from '../../types/fractions.ts'

/** A claim of a part of a byte. */
export function* claimWarnings(spec: Field<PersistentVolumeClaimSpec>): Texts {
  const resources = spec.child('resources')
  yield* fractionalAmounts(resources, 'requests', 'storage')
  yield* fractionalAmounts(resources, 'limits', 'storage')
}

/** An annotation that a field has replaced. */
export function* classAnnotationWarnings(metadata: Partial<Metadata> = {}, domain: string): Texts {
  const key = `volume.beta.${domain}/storage-class`
  if (metadata.annotations?.[key] === undefined) return
  yield `metadata.annotations[${key}]: deprecated since v1.8; use "storageClassName" attribute instead`
}

/** What is deprecated in a volume: an annotation, labels of nodes, its source. */
export function volumeWarnings(
  { metadata, spec }: LooseObject<PersistentVolume>,
  domain: string,
): readonly string[] {
  return firstOf(allTexts(metadata, warnedField(spec, 'spec'), domain))
}

const sources = [
  'cephfs',
  'photonPersistentDisk',
  'scaleIO',
  'storageos',
  'glusterfs',
  'rbd',
] as const

function* allTexts(
  metadata: Partial<Metadata> | undefined,
  spec: Field<PersistentVolume['spec']>,
  domain: string,
): Texts {
  yield* classAnnotationWarnings(metadata, domain)
  const required = spec.child('nodeAffinity').child('required')
  for (const term of required.items('nodeSelectorTerms')) yield* deprecatedKeys(term, domain)
  yield* deprecatedVolume(spec, sources)
}
