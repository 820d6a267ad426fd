import type {
  TypedLocalObjectReference,
  TypedObjectReference,
} from '../../../../generated/apis/core/v1/common.ts'
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
} from '../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { PersistentVolumeClaimSpec } from '../../../../generated/apis/core/v1/volume.ts'
import { groupNames } from '../../../kernel/descriptors/platform.ts'
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  qualifiedNameProblems,
} from '../../../kernel/meta/names.ts'
import { difference } from '../../../kernel/validation/difference.ts'
import { invalid } from '../../../kernel/validation/field-errors.ts'
import { change } from '../../../kernel/values/change.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { compareQuantities, parseQuantity } from '../../../kernel/values/quantity.ts'
import type { Check, Field } from '../../../kernel/walker/field.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'
import type { StrategyContext } from '../../strategy/context.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { warnedField } from '../../strategy/warned-field.ts'
import { checkAccessModes, sizeProblems, wholeNumber } from './volume-checks.ts'
import { claimWarnings, classAnnotationWarnings } from './volume-warnings.ts'

type Spec = Loose<PersistentVolumeClaimSpec>

const changeable =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'

/** A claim says how much it wants and how it is used; once bound it may only grow (supplement I-19). */
export const persistentVolumeClaim: Strategy<PersistentVolumeClaim> = {
  prepareCreate(object, context) {
    const { spec } = object
    if (spec === undefined) return object
    return change(object, { spec: withSource(withoutOddSources(spec, context)) })
  },
  prepareUpdate(object, old, context) {
    const { spec } = object
    const sourced = old.spec?.dataSource ?? old.spec?.dataSourceRef
    if (spec === undefined) return object
    const given = sourced === undefined ? withoutOddSources(spec, context) : spec
    return change(object, { spec: withSource(given) })
  },
  warn: ({ metadata, spec }, _, { platform }) => [
    ...classAnnotationWarnings(metadata, platform.domain),
    ...claimWarnings(warnedField(spec, 'spec')),
  ],
  check(object, { platform, gates }) {
    const spec = object.child('spec')
    const { old } = object
    claimSpec(spec)
    if (old === undefined) return
    const annotated = old.metadata?.annotations?.[`volume.beta.${platform.domain}/storage-class`]
    checkUpdate(spec, old.spec ?? {}, {
      bound: old.status?.phase === 'Bound',
      annotated,
      hasClasses: gates.has('VolumeAttributesClass'),
    })
  },
  checkStatus: (object) => checkStatus(object.child('status')),
}

const resizing = [
  'ControllerResizeFailed',
  'ControllerResizeInProgress',
  'NodeResizeFailed',
  'NodeResizeInProgress',
  'NodeResizePending',
]

/** Amounts are not negative; what is allocated is storage, or a resource of a domain of its own. */
function checkStatus(status: Field<PersistentVolumeClaimStatus>): void {
  const checkAmount = (amount: Field<string>) => {
    if (parseQuantity(amount.value)?.negative !== true) return
    amount.invalid('', 'must be a valid resource quantity', wholeNumber(amount.value))
  }
  status.each('capacity', checkAmount)
  status.each('allocatedResourceStatuses', (state, _, name) => {
    state.invalidAll('', keyProblems(name), name)
    if (!resizing.includes(state.value)) state.unsupported('', resizing)
  })
  status.each('allocatedResources', (amount, _, name) => {
    amount.invalidAll('', keyProblems(name), name)
    checkAmount(amount)
  })
}

function keyProblems(name: string): readonly string[] {
  const malformed = qualifiedNameProblems(name)
  if (malformed.length > 0 || name.includes('/') || name === 'storage') return malformed
  return ['must be a standard resource for PVC']
}

/** Sources of other namespaces need a gate, and the older field knows claims and snapshots only: others are dropped. */
function withoutOddSources(spec: Spec, { gates, platform }: StrategyContext): Spec {
  const { dataSource, dataSourceRef } = spec
  const foreign = dataSourceRef?.namespace && !gates.has('CrossNamespaceVolumeDataSource')
  const reference = foreign ? undefined : dataSourceRef
  const { kind } = dataSource ?? {}
  const apiGroup = dataSource?.apiGroup ?? ''
  const groups = groupNames('snapshot.storage', platform)
  const known =
    (kind === 'PersistentVolumeClaim' && apiGroup === '') ||
    (kind === 'VolumeSnapshot' && groups.includes(apiGroup))
  return change(spec, {
    dataSourceRef: reference,
    dataSource: reference === undefined && !known ? undefined : dataSource,
  })
}

/** The two fields for the same source say the same. */
function withSource(spec: Spec): Spec {
  const { dataSource, dataSourceRef } = spec
  if (dataSource !== undefined && dataSourceRef === undefined) {
    return change(spec, { dataSourceRef: dataSource })
  }
  const local = dataSourceRef !== undefined && !dataSourceRef.namespace
  return local && dataSource === undefined ? change(spec, { dataSource: dataSourceRef }) : spec
}

/** What holds for the specification of a claim, and of one in the template of a pod. */
export const claimSpec: Check<PersistentVolumeClaimSpec> = (spec) => {
  const { resources, dataSource, dataSourceRef } = spec.value
  const size = resources?.requests?.storage
  checkAccessModes(spec, 'at least 1 access mode is required')
  spec.visit('selector')
  if (size === undefined) spec.required('resources[storage]')
  else spec.invalidAll('resources[storage]', sizeProblems(size), size)
  spec.visit('storageClassName')
  spec.when('dataSource', checkSource)
  spec.when('dataSourceRef', (field) => {
    const source = field as Field<TypedObjectReference>
    checkSource(source)
    source.checkText('namespace', dnsLabelProblems)
  })
  if (dataSource === undefined || dataSourceRef === undefined) return
  const { namespace, ...local } = dataSourceRef
  if (namespace) {
    const why = 'may not be specified when dataSourceRef.namespace is specified'
    spec.invalid('', why, spec.path('dataSource'))
  } else if (!deepEqual(dataSource, local)) {
    spec.invalid('', 'must match dataSourceRef', spec.path('dataSource'))
  }
}

/** An object that a volume is filled from: a claim, or one of a kind in a group. */
const checkSource: Check<TypedLocalObjectReference> = (source) => {
  const { kind = '', name } = source.value
  const apiGroup = source.value.apiGroup ?? ''
  if (!name) source.required('name')
  if (kind === '') source.required('kind')
  if (apiGroup === '' && kind !== 'PersistentVolumeClaim') {
    const why = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
    source.invalid('', why, kind)
  }
  source.checkText('apiGroup', dnsSubdomainProblems)
}

/** What decides how a claim may change. */
interface ClaimState {
  readonly bound: boolean
  /** The class that its older annotation names. */
  readonly annotated: string | undefined
  /** Whether there are classes of attributes. */
  readonly hasClasses: boolean
}

function checkUpdate(spec: Field<PersistentVolumeClaimSpec>, old: Spec, state: ClaimState) {
  const allowed = withAllowed(spec.value, old, state)
  if (!deepEqual(allowed, old)) spec.forbidden('', `${changeable}\n${difference(old, allowed)}`)
  const [now, then] = [spec.value, old].map(({ resources }) =>
    parseQuantity(resources?.requests?.storage ?? '0'),
  )
  if (now !== undefined && then !== undefined && compareQuantities(now, then) < 0) {
    const why = 'field can not be less than previous value'
    spec.afterwards(() => spec.forbidden('resources.requests.storage', why))
  }
  const { volumeMode } = spec.value
  if (volumeMode !== old.volumeMode) {
    spec.report(invalid('volumeMode', volumeMode, 'field is immutable'))
  }
  const problem = attributesClassProblem(spec.value, old, state.hasClasses)
  if (problem !== undefined)
    spec.afterwards(() => spec.forbidden('volumeAttributesClassName', problem))
}

/** A claim may get another class of attributes, and none may be taken away. */
function attributesClassProblem(
  { volumeAttributesClassName: now }: Spec,
  { volumeAttributesClassName: then }: Spec,
  hasClasses: boolean,
): string | undefined {
  if (now === then) return undefined
  if (!hasClasses) {
    return 'update is forbidden when the VolumeAttributesClass feature gate is disabled'
  }
  if (then === undefined || now) return undefined
  return `update from non-nil value to ${now === undefined ? 'nil' : 'an empty string'} is forbidden`
}

/** The new specification with the old values of whatever may change: what differs now may not. A claim without a class may get one. */
function withAllowed(spec: Spec, old: Spec, { bound, annotated }: ClaimState): Spec {
  const { storageClassName } = spec
  const classless =
    old.storageClassName === undefined &&
    storageClassName !== undefined &&
    (annotated === undefined || annotated === storageClassName)
  return change(spec, {
    volumeName: old.volumeName ? spec.volumeName : undefined,
    ...(classless && { storageClassName: undefined }),
    ...(bound && withOldSize(spec, old)),
    volumeAttributesClassName: old.volumeAttributesClassName,
  })
}

function withOldSize({ resources }: Spec, old: Spec): Partial<Spec> {
  if (resources?.requests === undefined) return {}
  const storage = old.resources?.requests?.storage
  const requests = { ...resources.requests, ...(storage !== undefined && { storage }) }
  return { resources: { ...resources, requests } }
}
