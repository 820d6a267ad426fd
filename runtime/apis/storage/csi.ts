/** The rules of the kinds that external storage drivers use. */

import { dnsSubdomainProblems, qualifiedNameProblems } from '../../kernel/meta/names.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { checkClassName } from '../core/volume/volume-checks.ts'
import type { Strategy } from '../strategy/strategy.ts'
import {
  duplicate,
  forbidden,
  invalid,
  invalidAll,
  required,
  tooLong,
} from '../types/field-errors.ts'
import { checkSelector } from '../types/label-selectors.ts'
import type { List } from '../types/shapes.ts'

const longestDriver = 63
const longestNode = 192

interface Driver {
  readonly name?: string
  readonly nodeID?: string
  readonly topologyKeys?: List<string>
}

interface Attachment extends ApiObject {
  readonly spec?: {
    readonly attacher?: string
    readonly nodeName?: string
    readonly source?: { readonly persistentVolumeName?: string; readonly inlineVolumeSpec?: object }
  }
}

/** A driver object bears the driver's name, and asks for one token of each audience. */
export const csiDriver: Strategy = {
  validate({ metadata, ...object }) {
    type Spec = { readonly tokenRequests?: List<{ readonly audience?: string }> }
    const { tokenRequests } = (object as { readonly spec?: Spec }).spec ?? {}
    const audiences = (tokenRequests ?? []).map(({ audience = '' }) => audience)
    return [
      ...checkDriver('metadata.name', metadata.name),
      ...duplicates(audiences, (index) => `spec.tokenRequests[${index}].audience`),
    ]
  },
}

/** Each driver of a node is there once, and what it said of itself stays. */
export const csiNode: Strategy = {
  validate(object, old) {
    const drivers = driversOf(object)
    return [
      ...drivers.flatMap((driver, index) => checkNodeDriver(`spec.drivers[${index}]`, driver)),
      ...duplicates(
        drivers.map(({ name = '' }) => name),
        (index) => `spec.drivers[${index}].name`,
      ),
      ...(old === undefined ? [] : checkChanged(drivers, driversOf(old))),
    ]
  },
}

/** The nodes can be picked, and the class can exist. */
export const csiStorageCapacity: Strategy = {
  validate(object) {
    type Capacity = { readonly nodeTopology?: object; readonly storageClassName?: string }
    const { nodeTopology, storageClassName } = object as ApiObject & Capacity
    return [
      ...(nodeTopology ? checkSelector('nodeTopology', nodeTopology) : []),
      ...checkClassName('storageClassName', storageClassName),
    ]
  },
}

/** An attachment is of one volume; the schema keeps the rest of it as it is. */
export const volumeAttachment: Strategy = {
  validate(object) {
    const { attacher, nodeName, source } = (object as Attachment).spec ?? {}
    const { persistentVolumeName: name, inlineVolumeSpec } = source ?? {}
    const one = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'
    const path = 'spec.source.persistentVolumeName'
    return [
      ...checkDriver('spec.attacher', attacher),
      ...invalidAll('spec.nodeName', nodeName, nodeName ? dnsSubdomainProblems(nodeName) : []),
      ...(name === undefined && !inlineVolumeSpec ? [required('spec.source', one)] : []),
      ...(name !== undefined && inlineVolumeSpec ? [forbidden('spec.source', one)] : []),
      ...invalidAll(path, name, name ? dnsSubdomainProblems(name) : []),
    ]
  },
}

function driversOf(object: ApiObject): readonly Driver[] {
  const { spec } = object as { readonly spec?: { readonly drivers?: List<Driver> } }
  return spec?.drivers ?? []
}

/** A driver is named like a domain, in short. */
export function checkDriver(path: string, name = ''): readonly FieldError[] {
  if (name === '') return []
  const long = name.length > longestDriver
  return [
    ...(long ? [tooLong(path, longestDriver)] : []),
    ...invalidAll(path, name, dnsSubdomainProblems(name.toLowerCase())),
  ]
}

function checkNodeDriver(path: string, driver: Driver): readonly FieldError[] {
  const keys = driver.topologyKeys ?? []
  const long = (driver.nodeID?.length ?? 0) > longestNode
  return [
    ...checkDriver(`${path}.name`, driver.name),
    ...(long ? [tooLong(`${path}.nodeID`, longestNode)] : []),
    ...duplicates(keys, () => `${path}.topologyKeys`),
    ...(keys.includes('') ? [required(`${path}.topologyKeys`)] : []),
    ...keys.flatMap((key) =>
      invalidAll(`${path}.topologyKeys`, key, key === '' ? [] : qualifiedNameProblems(key)),
    ),
  ]
}

function checkChanged(drivers: readonly Driver[], old: readonly Driver[]): readonly FieldError[] {
  const before = new Map(old.map((driver) => [driver.name, driver]))
  return drivers.flatMap((driver, index) => {
    const known = before.get(driver.name)
    if (known === undefined || deepEqual(known, driver)) return []
    return [invalid(`spec.drivers[${index}]`, driver, 'field is immutable')]
  })
}

function duplicates(
  values: readonly string[],
  at: (index: number) => string,
): readonly FieldError[] {
  const seen = new Set<string>()
  return values.flatMap((value, index) => {
    if (seen.has(value)) return [duplicate(at(index), value)]
    seen.add(value)
    return []
  })
}
