/** Differences from the facts of release 1.29 that are meant, each with its reason. */
export const known: readonly (readonly [start: string, reason: string])[] = [
  ['core/v1.NodeResources:', 'a helper of another language; no field anywhere has this type'],
  ['meta/v1.Patch:', 'a helper of another language: a patch is what its media type says'],
  ['meta/v1.Timestamp:', 'the message behind times, which the codec writes itself'],
  ['meta/v1.TypeMeta:', 'kind and apiVersion are implied by every root'],
  ['core/v1.AzureFilePersistentVolumeSource.secretNamespace: zero', noNull()],
  ['core/v1.TypedLocalObjectReference.apiGroup: zero', noNull()],
  ['core/v1.TypedObjectReference.apiGroup: zero', noNull()],
  [
    'discovery/v1.AddressType: values',
    'the facts list one of three: IPv4 and IPv6 have no comment',
  ],
  [
    'storage/v1.CSIDriverSpec.storageCapacity: feature gate',
    'the gate itself was removed before 1.29',
  ],
  ['core/v1.Pod.spec.enableServiceLinks: default', ruled()],
  ['core/v1.Namespace.status.phase: default', ruled()],
  ['core/v1.PersistentVolume.spec.persistentVolumeReclaimPolicy: default', ruled()],
  ['core/v1.PersistentVolume.spec.volumeMode: default', ruled()],
  ['apps/v1.StatefulSet.spec.updateStrategy.type: default', ruled()],
  ['apps/v1.StatefulSet.spec.persistentVolumeClaimRetentionPolicy: default', ruled()],
  ['batch/v1.Job.spec.parallelism: default', ruled()],
  ['batch/v1.Job.spec.completionMode: default', ruled()],
  ['batch/v1.Job.spec.suspend: default', ruled()],
  ['batch/v1.Job.spec.manualSelector: default', ruled()],
]

/** The reason of defaults that are no facts of the schema. */
function ruled(): string {
  return 'a rule of the kind gives it, since it depends on where or how the object stands'
}

/** The reason of fields that are never written as null. */
function noNull(): string {
  return 'absent stays absent, where the reference server writes null; readers take both alike'
}

/** The reason for a difference; undefined for one that is not meant. */
export function reasonFor(difference: string): string | undefined {
  return known.find(([start]) => difference.startsWith(start))?.[1]
}
