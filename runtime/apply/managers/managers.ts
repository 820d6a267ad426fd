/** Managers of fields: the records of `metadata.managedFields`, what identifies them, and how they are written. */
import type { MergeStrategy } from '../../kernel/descriptors/kind.ts'
import { type FieldSet, isEmpty } from '../field-set/field-set.ts'
import { readFieldsV1 } from '../field-set/fields-v1.ts'
import { reconcileWithSchema } from '../typed/reconcile.ts'

/** A workflow that applies (`Apply`) or writes otherwise (`Update`), with the fields that it manages. */
export interface Manager {
  /** The name that the client gave, or that its user agent says. */
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  /** The version in which its fields are named. */
  readonly apiVersion: string
  /** When its fields or their values changed last: RFC 3339 in UTC. */
  readonly time?: string
  /** The fields that it manages. */
  readonly fields: FieldSet
  /** The subresource through which it writes; absent for the object itself. */
  readonly subresource?: string
}

/** The managers of one object. */
export type Managers = readonly Manager[]

/** A record as it is in an object (supplement A-03). */
export interface ManagedFieldsRecord {
  readonly manager?: string
  readonly operation?: string
  readonly apiVersion?: string
  readonly time?: string
  readonly fieldsType?: string
  readonly fieldsV1?: unknown
  readonly subresource?: string
}

/**
 * True if both are one manager: an applier is one in all versions, a writer is another one in each version (supplement
 *
 */
export function isSameManager(a: Omit<Manager, 'fields'>, b: Omit<Manager, 'fields'>): boolean {
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    (a.subresource ?? '') === (b.subresource ?? '') &&
    (a.operation === 'Apply' || a.apiVersion === b.apiVersion)
  )
}

/** A text that records of one manager share, as `isSameManager` says. */
export function identityOf(one: Omit<Manager, 'fields'>): string {
  const { manager, operation, apiVersion, subresource = '' } = one
  return JSON.stringify([operation, operation === 'Apply' ? '' : apiVersion, manager, subresource])
}

/**
 * Reads records that a client sent; undefined if one of them is invalid. Of two records of one manager the last counts.
 */
export function readManagers(records: unknown): Managers | undefined {
  if (records === undefined || records === null) return []
  if (!Array.isArray(records)) return undefined
  const managers = new Map<string, Manager>()
  for (const record of records as readonly ManagedFieldsRecord[]) {
    const manager = readManager(record)
    if (manager === undefined) return undefined
    managers.set(identityOf(manager), manager)
  }
  return [...managers.values()]
}

/** The manager of a record; undefined if the record is invalid. */
function readManager(record: ManagedFieldsRecord): Manager | undefined {
  const { manager = '', operation, apiVersion, time, fieldsType, subresource } = record
  if (operation !== 'Apply' && operation !== 'Update') return undefined
  if (fieldsType !== 'FieldsV1' || !apiVersion) return undefined
  const fields = readFieldsV1(record.fieldsV1 ?? {})
  if (fields === undefined) return undefined
  return {
    manager,
    operation,
    apiVersion,
    ...(time && { time }),
    fields,
    ...(subresource && { subresource }),
  }
}

/** The managers of lists of records that were read before. */
const known = new WeakMap<object, Managers>()

/**
 * The managers of a stored object. Its records are canonical, so that their sets are taken as they are; each list of
 * records is looked at once. Sets follow changes of the schema (A2.42).
 */
export function managersOf(
  records: readonly unknown[] | undefined,
  shapeOf: (apiVersion: string) => MergeStrategy | undefined,
): Managers {
  if (records === undefined || records.length === 0) return []
  let managers = known.get(records)
  if (managers === undefined) {
    managers = (records as readonly (Manager & { readonly fieldsV1?: FieldSet })[]).map(
      ({ manager, operation, apiVersion, time, subresource, fieldsV1 = {} }) => ({
        manager: manager ?? '',
        operation,
        apiVersion,
        ...(time && { time }),
        fields: reconcileWithSchema(fieldsV1, shapeOf(apiVersion)),
        ...(subresource && { subresource }),
      }),
    )
    known.set(records, managers)
  }
  return managers
}

/** The records of managers that have fields: appliers before writers, then by time and by name (supplement A-05). */
export function recordsOf(managers: Managers): readonly ManagedFieldsRecord[] {
  return managers
    .filter(({ fields }) => !isEmpty(fields))
    .sort(byAge)
    .map(({ manager, operation, apiVersion, time, fields, subresource }) => ({
      ...(manager && { manager }),
      operation,
      apiVersion,
      ...(time && { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: fields,
      ...(subresource && { subresource }),
    }))
}

/** The order of records in `metadata.managedFields`. */
function byAge(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? '', b.time ?? '') ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource ?? '', b.subresource ?? '')
  )
}

/** The order of code units, which does not depend on a locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
