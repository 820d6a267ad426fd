/** The rules of PersistentVolume. */

import { timestamp } from '../../../kernel/async/clock.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { change } from '../../strategy/change.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { difference } from '../../types/difference.ts'
import { forbidden, invalid, required, unsupported } from '../../types/field-errors.ts'
import { checkAccessModes, checkClassName, checkNoBacksteps, checkSize } from './volume-checks.ts'
import type { PersistentVolume, VolumeSpec } from './volume-shapes.ts'

const path = 'spec'
/** The fields of the specification that are no source. */
const common = new Set([
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
  'volumeAttributesClassName',
])

/**
 * A volume has a size and one source, which never changes (supplement I-19); its status says since when it has its phase
 * (T-14).
 */
export const persistentVolume: Strategy = {
  defaults(object) {
    const { spec } = object as PersistentVolume
    if (spec === undefined) return object
    const { persistentVolumeReclaimPolicy = 'Retain', volumeMode = 'Filesystem' } = spec
    return change(object as PersistentVolume, {
      spec: change(spec, { persistentVolumeReclaimPolicy, volumeMode }),
    })
  },
  prepareCreate: (object, { now }) => ({
    ...object,
    status: { phase: 'Pending', lastPhaseTransitionTime: timestamp(now) },
  }),
  prepareSubresource(object, old, { now, subresource }) {
    const [given, before] = [object, old].map((each) => (each as PersistentVolume).status ?? {})
    const moved = given?.phase !== before?.phase
    const told = given?.lastPhaseTransitionTime !== before?.lastPhaseTransitionTime
    if (subresource !== 'status' || !moved || told) return object
    const status = { ...given, lastPhaseTransitionTime: timestamp(now) }
    return { ...object, status } as PersistentVolume
  },
  validate(object, old) {
    const { spec = {} } = object as PersistentVolume
    return [
      ...checkVolume(spec),
      ...(old === undefined ? [] : checkUpdate(spec, (old as PersistentVolume).spec ?? {})),
    ]
  },
}

function checkVolume(spec: VolumeSpec): readonly FieldError[] {
  return [
    ...checkAccessModes(`${path}.accessModes`, spec.accessModes),
    ...checkCapacity(spec),
    ...checkSource(spec),
    ...checkReclaim(spec),
    ...checkClassName(`${path}.storageClassName`, spec.storageClassName),
    ...checkAffinity(spec),
  ]
}

function checkCapacity({ capacity = {} }: VolumeSpec): readonly FieldError[] {
  const names = Object.keys(capacity)
  if (names.length === 0) return [required(`${path}.capacity`)]
  if (names.length > 1 || !Object.hasOwn(capacity, 'storage')) {
    return [unsupported(`${path}.capacity`, capacity, ['storage'])]
  }
  return checkSize(`${path}.capacity[storage]`, capacity.storage ?? '')
}

function checkSource(spec: VolumeSpec): readonly FieldError[] {
  const [first, ...more] = Object.keys(sourceOf(spec))
  if (first === undefined) return [required(path, 'must specify a volume type')]
  return [
    ...more.map((name) => forbidden(`${path}.${name}`, 'may not specify more than 1 volume type')),
    ...(spec.nfs && !spec.nfs.server ? [required(`${path}.nfs.server`)] : []),
    ...checkNoBacksteps(`${path}.hostPath.path`, spec.hostPath?.path),
    ...checkNoBacksteps(`${path}.local.path`, spec.local?.path),
    ...(spec.nfs?.path && !spec.nfs.path.startsWith('/')
      ? [invalid(`${path}.nfs.path`, spec.nfs.path, 'must be an absolute path')]
      : []),
  ]
}

function checkReclaim(spec: VolumeSpec): readonly FieldError[] {
  if (spec.hostPath?.path !== '/' || spec.persistentVolumeReclaimPolicy !== 'Recycle') return []
  const why = "may not be 'recycle' for a hostPath mount of '/'"
  return [forbidden(`${path}.persistentVolumeReclaimPolicy`, why)]
}

function checkAffinity({ nodeAffinity, local }: VolumeSpec): readonly FieldError[] {
  const at = `${path}.nodeAffinity`
  if (nodeAffinity === undefined) {
    return local ? [required(at, 'Local volume requires node affinity')] : []
  }
  if (nodeAffinity.required === undefined) {
    return [required(`${at}.required`, 'must specify required node constraints')]
  }
  const terms = nodeAffinity.required.nodeSelectorTerms ?? []
  const why = 'must have at least one node selector term'
  return terms.length > 0 ? [] : [required(`${at}.required.nodeSelectorTerms`, why)]
}

/** What of a specification says where the data is. */
function sourceOf(spec: VolumeSpec): object {
  const fields = Object.entries(spec)
  return Object.fromEntries(
    fields.filter(([name, value]) => !common.has(name) && value !== undefined),
  )
}

function checkUpdate(spec: VolumeSpec, old: VolumeSpec): readonly FieldError[] {
  const [now, before] = [sourceOf(spec), sourceOf(old)]
  const moved = `spec.persistentvolumesource is immutable after creation\n${difference(before, now)}`
  const fixed = 'field is immutable'
  const bound = old.nodeAffinity !== undefined && !deepEqual(spec.nodeAffinity, old.nodeAffinity)
  return [
    ...(deepEqual(now, before) ? [] : [forbidden(`${path}.persistentvolumesource`, moved)]),
    ...(spec.volumeMode === old.volumeMode
      ? []
      : [invalid(`${path}.volumeMode`, spec.volumeMode, fixed)]),
    ...(bound ? [invalid(`${path}.nodeAffinity`, spec.nodeAffinity, fixed)] : []),
  ]
}
