import type {
  PersistentVolume,
  PersistentVolumeSpec,
} from '../../../../generated/apis/core/v1/persistent-volume.ts'
import { timestamp } from '../../../kernel/async/clock.ts'
import { backstepProblems } from '../../../kernel/meta/file-paths.ts'
import { difference } from '../../../kernel/validation/difference.ts'
import { forbidden } from '../../../kernel/validation/field-errors.ts'
import { change } from '../../../kernel/values/change.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { checkAccessModes, sizeProblems } from './volume-checks.ts'
import { volumeWarnings } from './volume-warnings.ts'

type Spec = Field<PersistentVolumeSpec>

/** The fields of the specification that are no source. */
const common = new Set(
  (
    'capacity accessModes claimRef persistentVolumeReclaimPolicy storageClassName ' +
    'mountOptions volumeMode nodeAffinity volumeAttributesClassName'
  ).split(' '),
)

/**
 * A volume has a size and one source, which never changes (supplement I-19); its status says since when it has its phase
 * (T-14).
 */
export const persistentVolume: Strategy<PersistentVolume> = {
  defaults(object) {
    const { spec } = object
    if (spec === undefined) return object
    const { persistentVolumeReclaimPolicy = 'Retain', volumeMode = 'Filesystem' } = spec
    return change(object, { spec: change(spec, { persistentVolumeReclaimPolicy, volumeMode }) })
  },
  warn: (object, _, { platform }) => volumeWarnings(object, platform.domain),
  prepareCreate: (object, { now }) =>
    change(object, { status: { phase: 'Pending', lastPhaseTransitionTime: timestamp(now) } }),
  prepareSubresource(object, old, { now, subresource }) {
    const [given, before] = [object.status ?? {}, old.status ?? {}]
    const moved = given.phase !== before.phase
    const dated = given.lastPhaseTransitionTime !== before.lastPhaseTransitionTime
    if (subresource !== 'status' || !moved || dated) return object
    return change(object, { status: { ...given, lastPhaseTransitionTime: timestamp(now) } })
  },
  check(object) {
    const spec = object.child('spec')
    checkAccessModes(spec)
    checkCapacity(spec)
    checkSource(spec)
    spec.visit('storageClassName')
    checkAffinity(spec)
    if (object.old !== undefined) checkUpdate(spec, object.old.spec ?? {})
  },
}

function checkCapacity(spec: Spec): void {
  const { capacity = {} } = spec.value
  const names = Object.keys(capacity)
  if (names.length === 0) spec.required('capacity')
  else if (names.length > 1 || !Object.hasOwn(capacity, 'storage')) {
    spec.unsupported('capacity', ['storage'])
  } else
    spec.invalidAll('capacity[storage]', sizeProblems(capacity.storage ?? ''), capacity.storage)
}

function checkSource(spec: Spec) {
  const { nfs, hostPath, persistentVolumeReclaimPolicy } = spec.value
  const [first, ...more] = Object.keys(sourceOf(spec.value))
  if (first === undefined) return spec.required('', 'must specify a volume type')
  for (const name of more as (keyof PersistentVolumeSpec)[]) {
    spec.forbidden(name, 'may not specify more than 1 volume type')
  }
  if (nfs && !nfs.server) spec.required('nfs.server')
  spec.checkText('hostPath.path', backstepProblems)
  spec.checkText('local.path', backstepProblems)
  if (nfs?.path && !nfs.path.startsWith('/')) {
    spec.invalid('nfs.path', 'must be an absolute path')
  }
  if (hostPath?.path === '/' && persistentVolumeReclaimPolicy === 'Recycle') {
    const why = "may not be 'recycle' for a hostPath mount of '/'"
    spec.forbidden('persistentVolumeReclaimPolicy', why)
  }
}

function checkAffinity(spec: Spec): void {
  const { nodeAffinity, local } = spec.value
  if (nodeAffinity === undefined) {
    if (local) spec.required('nodeAffinity', 'Local volume requires node affinity')
  } else if (nodeAffinity.required === undefined) {
    spec.required('nodeAffinity.required', 'must specify required node constraints')
  } else if (!nodeAffinity.required.nodeSelectorTerms?.length) {
    const why = 'must have at least one node selector term'
    spec.required('nodeAffinity.required.nodeSelectorTerms', why)
  }
}

/** What of a specification says where the data is. */
function sourceOf(spec: Loose<PersistentVolumeSpec>): object {
  const fields = Object.entries(spec)
  return Object.fromEntries(
    fields.filter(([name, value]) => !common.has(name) && value !== undefined),
  )
}

function checkUpdate(spec: Spec, old: Loose<PersistentVolumeSpec>): void {
  const [now, before] = [sourceOf(spec.value), sourceOf(old)]
  if (!deepEqual(now, before)) {
    const why = 'spec.persistentvolumesource is immutable after creation'
    const at = spec.path('persistentvolumesource')
    spec.report(forbidden(at, `${why}\n${difference(before, now)}`))
  }
  spec.immutable('volumeMode')
  if (old.nodeAffinity !== undefined) spec.immutable('nodeAffinity')
}
