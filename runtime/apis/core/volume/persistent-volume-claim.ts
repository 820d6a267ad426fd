/** The rules of PersistentVolumeClaim. */

import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { compareQuantities, parseQuantity } from '../../../kernel/values/quantity.ts'
import { change } from '../../strategy/change.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { difference } from '../../types/difference.ts'
import { forbidden, invalid, required } from '../../types/field-errors.ts'
import { checkSelector } from '../../types/label-selectors.ts'
import type { Strings } from '../../types/shapes.ts'
import { checkAccessModes, checkClassName, checkSize } from './volume-checks.ts'
import type { Claim, ClaimSpec } from './volume-shapes.ts'

const others =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'

/** A claim says how much it wants and how it is used; once bound it may only grow (supplement I-19). */
export const persistentVolumeClaim: Strategy = {
  prepareCreate(object) {
    const { spec } = object as Claim
    return spec === undefined
      ? object
      : change(object as Claim, { spec: change(spec, sameSource(spec)) })
  },
  validate(object, old) {
    const { spec = {} } = object as Claim
    return [...checkClaim(spec), ...(old === undefined ? [] : checkUpdate(spec, old as Claim))]
  },
}

/** The two fields for the same source say the same. */
function sameSource({ dataSource, dataSourceRef }: ClaimSpec): Partial<ClaimSpec> {
  if (dataSource !== undefined && dataSourceRef === undefined) return { dataSourceRef: dataSource }
  const local = dataSourceRef !== undefined && !dataSourceRef.namespace
  return local && dataSource === undefined ? { dataSource: dataSourceRef } : {}
}

function checkClaim(spec: ClaimSpec): readonly FieldError[] {
  const { requests } = spec.resources ?? {}
  const size = requests && Object.hasOwn(requests, 'storage') ? requests.storage : undefined
  const at = 'spec.resources[storage]'
  return [
    ...checkAccessModes('spec.accessModes', spec.accessModes),
    ...(spec.selector ? checkSelector('spec.selector', spec.selector) : []),
    ...(size === undefined ? [required(at)] : checkSize(at, size)),
    ...checkClassName('spec.storageClassName', spec.storageClassName),
    ...checkSources(spec),
  ]
}

function checkSources({ dataSource, dataSourceRef }: ClaimSpec): readonly FieldError[] {
  const foreign = dataSource && !dataSource.apiGroup && dataSource.kind !== 'PersistentVolumeClaim'
  const kind = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
  const both = dataSource !== undefined && dataSourceRef !== undefined && !dataSourceRef.namespace
  const same = 'must match dataSourceRef'
  return [
    ...(dataSource && !dataSource.name ? [required('spec.dataSource.name')] : []),
    ...(foreign ? [invalid('spec.dataSource', dataSource?.kind, kind)] : []),
    ...(both && !deepEqual(dataSource, dataSourceRef)
      ? [invalid('spec.dataSource', dataSource, same)]
      : []),
  ]
}

function checkUpdate(spec: ClaimSpec, old: Claim): readonly FieldError[] {
  const before = old.spec ?? {}
  const allowed = withAllowed(spec, old)
  if (!deepEqual(allowed, before)) {
    return [forbidden('spec', `${others}\n${difference(before, allowed)}`)]
  }
  const [now, then] = [spec, before].map(({ resources }) => sizeOf(resources?.requests))
  const shrinks = now !== undefined && then !== undefined && compareQuantities(now, then) < 0
  const why = 'field can not be less than previous value'
  return shrinks ? [forbidden('spec.resources.requests.storage', why)] : []
}

/** The new specification with the old values of whatever may change: what differs now may not. */
function withAllowed(spec: ClaimSpec, old: Claim): ClaimSpec {
  const before = old.spec ?? {}
  const bound = old.status?.phase === 'Bound'
  const classless = before.storageClassName === undefined && !before.volumeName && !bound
  return change(spec, {
    volumeName: before.volumeName || undefined,
    ...(before.volumeName && { volumeName: spec.volumeName }),
    ...(classless && { storageClassName: undefined }),
    ...(bound && withOldSize(spec, before)),
    ...(bound &&
      spec.volumeAttributesClassName !== undefined && {
        volumeAttributesClassName: before.volumeAttributesClassName,
      }),
  })
}

function withOldSize({ resources }: ClaimSpec, before: ClaimSpec): Partial<ClaimSpec> {
  if (resources?.requests === undefined) return {}
  const storage = before.resources?.requests?.storage
  const requests = { ...resources.requests, ...(storage !== undefined && { storage }) }
  return { resources: { ...resources, requests } }
}

function sizeOf(requests: Strings | undefined) {
  return requests?.storage === undefined ? undefined : parseQuantity(requests.storage)
}
