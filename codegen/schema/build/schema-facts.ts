/** Parts of types that a schema gives by itself, without looking at others. */
import type { EnumType, Field, PlainType } from '../named-type.ts'
import { marker, type Schema } from './json-schema.ts'

/**
 * The string type of a schema, with its format and bounds.
 * An `enum` on a field is a bound of the text, not a type with a name.
 */
export function stringOf(schema: Schema): PlainType {
  const format = schema.format?.value
  const values = schema.enum === undefined ? {} : { values: schema.enum }
  return {
    is: 'string',
    ...(format === undefined ? {} : { format }),
    bounds: { ...schema.string, ...values },
  }
}

/** The values of an enumeration, closed (`enum`) or open (`x-orch-known-values`). */
export function enumOf(
  schema: Schema,
): Pick<EnumType, 'is' | 'values' | 'closed' | 'refusal' | 'refusalOrder' | 'published'> {
  const closed = schema.enum !== undefined
  const order = marker<EnumType['refusalOrder']>(schema, 'told-order')
  const published = marker<boolean>(schema, 'published-values')
  const refusal = marker<string>(schema, 'refusal')
  return {
    ...(refusal !== undefined && { refusal }),
    ...(order && { refusalOrder: order }),
    ...(published !== undefined && { published }),
    is: 'enum',
    closed,
    values: schema.enum ?? marker<string[]>(schema, 'known-values') ?? [],
  }
}

/**
 * The scalar of `meta/v1` that markers on a schema without a name stand for.
 * A schema that keeps unknown fields is `RawExtension` if it must be an object, `Any` otherwise;
 * one that declares the type of its values is a map and neither.
 */
export function wellKnownOf(schema: Schema): string | undefined {
  if (marker<boolean>(schema, 'int-or-string') === true) return 'IntOrString'
  const kept =
    marker<boolean>(schema, 'preserve-unknown-fields') === true ||
    marker<boolean>(schema, 'embedded-resource') === true
  if (!kept || schema.values !== undefined) return undefined
  return schema.type?.value === 'object' ? 'RawExtension' : 'Any'
}

/**
 * The markers and the default of a field's schema, those that it has.
 * Properties without a value are left out, so that equal fields have equal JSON.
 */
export function markersOf(schema: Schema): Partial<Field> {
  const patch = marker<string>(schema, 'patch-strategy')?.split(',') as Field['patch']
  const optional = {
    default: schema.default?.value,
    list: marker<Field['list']>(schema, 'list-type'),
    keys: marker<readonly string[]>(schema, 'list-map-keys'),
    missing: marker<string>(schema, 'missing'),
    refusal: marker<string>(schema, 'refusal'),
    refusalAbove: marker<string>(schema, 'refusal-above'),
    unvalidated: marker<boolean>(schema, 'unvalidated') === true || undefined,
    errorsAtList: marker<boolean>(schema, 'errors-at-list') === true || undefined,
    duplicates: marker<boolean>(schema, 'accept-duplicates') === true || undefined,
    map: marker<Field['map']>(schema, 'map-type'),
    precision: marker<Field['precision']>(schema, 'precision'),
    typeName: marker<string>(schema, 'type-name'),
    patch,
    patchKey: marker<string>(schema, 'patch-merge-key'),
    featureGate: marker<string>(schema, 'feature-gate'),
    since: marker<string>(schema, 'since'),
    ungated: marker<boolean>(schema, 'ungated') === true || undefined,
    gateOff: marker<string>(schema, 'gate-off'),
    checks: marker<readonly string[]>(schema, 'check'),
    proto: marker<number>(schema, 'proto'),
    protoName: marker<string>(schema, 'proto-name'),
    pointer: marker<string>(schema, 'zero') === 'tracked' || undefined,
    protoMessage: marker<boolean>(schema, 'proto-message'),
  }
  return Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined))
}
