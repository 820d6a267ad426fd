import type {
  PersistentVolume,
  PersistentVolumeSpec,
} from '../../../../generated/apis/core/v1/persistent-volume.ts'
import type { NodeSelectorTerm } from '../../../../generated/apis/core/v1/scheduling.ts'
import { timestamp } from '../../../kernel/async/clock.ts'
import { difference } from '../../../kernel/validation/difference.ts'
import { forbidden, invalid } from '../../../kernel/validation/field-errors.ts'
import { Shown } from '../../../kernel/validation/go-value.ts'
import { change, changeAll } from '../../../kernel/values/change.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { parseQuantity } from '../../../kernel/values/quantity.ts'
import type { Check, Field } from '../../../kernel/walker/field.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { nodeLabelSuccessor } from '../../types/deprecations.ts'
import { checkAccessModes, sizeProblems, wholeNumber } from './volume-checks.ts'
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
    const { lastPhaseTransitionTime: stored } = before
    const date = given.lastPhaseTransitionTime ?? undefined
    if (subresource !== 'status' || (date !== undefined && date !== stored)) return object
    const since = given.phase === before.phase ? stored : timestamp(now)
    return change(object, { status: change(given, { lastPhaseTransitionTime: since }) })
  },
  check(object, { platform }) {
    const spec = object.child('spec')
    checkAccessModes(spec)
    checkCapacity(spec)
    checkAffinity(spec)
    checkSource(spec)
    spec.visit('storageClassName')
    checkMountOptions(object, platform.domain)
    if (object.old !== undefined) checkUpdate(spec, object.old.spec ?? {}, platform.domain)
  },
}

/** A volume that stands in an attachment: it has a driver, and nothing that binds it to claims or nodes. */
export const inlineVolume: Check<PersistentVolumeSpec> = (spec) => {
  const { csi, persistentVolumeReclaimPolicy, volumeMode } = spec.value
  const here = 'in the context of inline volumes'
  for (const key of ['claimRef', 'nodeAffinity', 'storageClassName'] as const) {
    if (spec.value[key]) spec.forbidden(key, `may not be specified ${here}`)
  }
  if (Object.keys(spec.value.capacity ?? {}).length > 0) {
    spec.forbidden('capacity', `may not be specified ${here}`)
  }
  if (!csi) spec.required('csi', `has to be specified ${here}`)
  checkAccessModes(spec)
  for (const key of ['persistentVolumeReclaimPolicy', 'volumeMode', 'nodeAffinity'] as const) {
    spec.passOver(key)
  }
  if (persistentVolumeReclaimPolicy && persistentVolumeReclaimPolicy !== 'Retain') {
    spec.forbidden('persistentVolumeReclaimPolicy', `may only be Retain ${here}`)
  }
  if (volumeMode !== undefined && volumeMode !== 'Filesystem') {
    spec.forbidden('volumeMode', `may not specify volumeMode other than Filesystem ${here}`)
  }
  checkSource(spec, false)
}

function checkCapacity(spec: Spec): void {
  const { capacity = {} } = spec.value
  const names = Object.keys(capacity)
  if (names.length === 0) spec.required('capacity')
  if (names.length !== 1 || !Object.hasOwn(capacity, 'storage')) {
    const shown = names.length === 0 ? new Shown('core.ResourceList(nil)') : capacity
    spec.unsupported('capacity', ['storage'], shown)
  }
  for (const name of names) checkAmount(spec, name, capacity[name] ?? '')
}

/** Each amount is told by itself, whatever it is of. */
function checkAmount(spec: Spec, name: string, amount: string): void {
  const negative = parseQuantity(amount)?.negative === true
  const at = `capacity[${name}]` as const
  if (negative) spec.invalid(at, 'must be a valid resource quantity', wholeNumber(amount))
  spec.invalidAll(at, sizeProblems(amount), amount)
}

/** The sources in the order in which they count. */
const sources = (
  'hostPath gcePersistentDisk awsElasticBlockStore glusterfs flocker nfs rbd quobyte cephfs iscsi cinder fc flexVolume ' +
  'azureFile vsphereVolume photonPersistentDisk portworxVolume azureDisk scaleIO local storageos csi'
).split(' ') as readonly (keyof PersistentVolumeSpec)[]

const mountable = (
  'gcePersistentDisk awsElasticBlockStore glusterfs nfs rbd quobyte iscsi cinder cephfs azureFile vsphereVolume azureDisk ' +
  'photonPersistentDisk'
).split(' ') as readonly (keyof PersistentVolumeSpec)[]

/** The annotation from before there was a field makes sense for volumes that are mounted by a plugin of the platform. */
function checkMountOptions(object: Field<PersistentVolume>, domain: string): void {
  const key = `volume.beta.${domain}/mount-options`
  if (object.value.metadata?.annotations?.[key] === undefined) return
  if (mountable.some((source) => object.value.spec?.[source] !== undefined)) return
  const why = 'may not specify mount options for this volume type'
  object.forbidden(`metadata.annotations.${key}` as 'metadata', why)
}

/** Of several sources each further one is Forbidden and not looked at; `flexVolume` alone is looked at wherever it stands. */
function checkSource(spec: Spec, bound = true): void {
  const { nodeAffinity, hostPath, persistentVolumeReclaimPolicy } = spec.value
  const [first, ...more] = sources.filter((source) => spec.value[source] !== undefined)
  spec.tellAt('gcePersistentDisk', spec, 'persistentDisk')
  if (first === undefined) spec.required('', 'must specify a volume type')
  else if (first === 'gcePersistentDisk') spec.visitAs(first, 'persistentDisk')
  else spec.visit(first)
  for (const name of more) {
    if (name === 'flexVolume') {
      spec.visit(name)
      continue
    }
    spec.passOver(name)
    const told = name === 'cephfs' ? 'cephFS' : name
    spec.forbidden(told as keyof PersistentVolumeSpec, 'may not specify more than 1 volume type')
  }
  if (first === 'local' && (nodeAffinity === undefined || !bound)) {
    spec.required('nodeAffinity', 'Local volume requires node affinity')
  }
  if (hostPath?.path === '/' && persistentVolumeReclaimPolicy === 'Recycle') {
    const why = "may not be 'recycle' for a hostPath mount of '/'"
    spec.forbidden('persistentVolumeReclaimPolicy', why)
  }
}

function checkAffinity(spec: Spec): void {
  const { nodeAffinity } = spec.value
  if (nodeAffinity === undefined) return
  if (nodeAffinity.required === undefined) {
    spec.required('nodeAffinity.required', 'must specify required node constraints')
  } else spec.visit('nodeAffinity')
}

/** What of a specification says where the data is. */
function sourceOf(spec: Loose<PersistentVolumeSpec>): object {
  const fields = Object.entries(spec)
  return Object.fromEntries(
    fields.filter(([name, value]) => !common.has(name) && value !== undefined),
  )
}

/** The secret for growing a volume can be named later, once. */
function withOldCsi(
  spec: Loose<PersistentVolumeSpec>,
  { csi: old }: Loose<PersistentVolumeSpec>,
): Loose<PersistentVolumeSpec> {
  const { csi } = spec
  if (!csi?.controllerExpandSecretRef || !old || old.controllerExpandSecretRef) return spec
  const { controllerExpandSecretRef: _, ...before } = csi
  return { ...spec, csi: before }
}

/** Errors of two fields stand at the object, as public servers tell them. */
function checkUpdate(spec: Spec, old: Loose<PersistentVolumeSpec>, domain: string): void {
  const [now, before] = [sourceOf(withOldCsi(spec.value, old)), sourceOf(old)]
  if (!deepEqual(now, before)) {
    const why = 'spec.persistentvolumesource is immutable after creation'
    const at = spec.path('persistentvolumesource')
    spec.report(forbidden(at, `${why}\n${difference(before, now)}`))
  }
  const { volumeMode, nodeAffinity } = spec.value
  if (volumeMode !== old.volumeMode) {
    spec.report(invalid('volumeMode', volumeMode, 'field is immutable'))
  }
  if (old.nodeAffinity && !isSameAffinity(nodeAffinity, old.nodeAffinity, domain)) {
    const why = 'field is immutable, except for updating from beta label to GA'
    spec.report(invalid('nodeAffinity', nodeAffinity, why))
  }
}

type Affinity = Loose<NonNullable<PersistentVolumeSpec['nodeAffinity']>>

/** True if nothing changed but keys that became those that stand in their place; a key without one may become empty, as in release 1.29. */
function isSameAffinity(now: Affinity | undefined, old: Affinity, domain: string): boolean {
  const terms = now?.required?.nodeSelectorTerms ?? []
  const renamed = (
    key: 'matchExpressions' | 'matchFields',
    term: Loose<NodeSelectorTerm>,
    at: number,
  ) =>
    changeAll(term[key], (requirement, index) => {
      const given = terms[at]?.[key]?.[index]?.key ?? ''
      const next = nodeLabelSuccessor(requirement.key ?? '', domain) ?? ''
      return given === next ? { ...requirement, key: given } : requirement
    })
  const required =
    old.required &&
    change(old.required, {
      nodeSelectorTerms: changeAll(old.required.nodeSelectorTerms, (term, at) =>
        change(term, {
          matchExpressions: renamed('matchExpressions', term, at),
          matchFields: renamed('matchFields', term, at),
        }),
      ),
    })
  return deepEqual(now, change(old, { required }))
}
