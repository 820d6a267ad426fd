/** Named types as OpenAPI component schemas. */

import { extensionPrefixes } from '../../../runtime/kernel/descriptors/platform.ts'
import { apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import type { KindFacts, Marker } from '../../schema/ir.ts'
import type { Field, NamedType, Scalar, StructType, Type } from '../../schema/named-type.ts'
import type { Model } from '../model/model.ts'
import { primitiveSchema } from '../model/primitive-schema.ts'

/** A JSON object of a document. */
export type Schema = Readonly<Record<string, unknown>>

/**
 * `io.orch.api.apps.v1.Deployment`: the reversed package path. The machinery's types, and those of servers that stand beside
 * the main one elsewhere, have packages of their own.
 */
export function schemaName(type: NamedType, model: Model): string {
  const { api, schemaPackage, prefix } = model.api.platform
  const home = type.is === 'scalar' ? homes[type.scalar] : homesById[type.id]
  if (home !== undefined) return `${schemaPackage}.${home}`
  const own = type.group === '' || !type.group.includes('.') || type.group.endsWith(`.${api}`)
  if (!own) return [...type.group.split('.').reverse(), type.version, type.name].join('.')
  const folder = type.package.split('/')[0] ?? ''
  return [schemaPackage, areaOf(folder, prefix), folder, type.version, type.name].join('.')
}

function areaOf(folder: string, prefix: string): string {
  switch (folder) {
    case 'meta':
      return 'apimachinery.pkg.apis'
    case 'apiextensions':
      return 'apiextensions-apiserver.pkg.apis'
    case 'apiregistration':
      return `${prefix}-aggregator.pkg.apis`
    default:
      return 'api'
  }
}

/** The names under which clients know scalars that are not of the meta group. */
const homes: Partial<Record<Scalar, string>> = {
  quantity: 'apimachinery.pkg.api.resource.Quantity',
  'int-or-string': 'apimachinery.pkg.util.intstr.IntOrString',
  'raw-extension': 'apimachinery.pkg.runtime.RawExtension',
  any: 'apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON',
}

/** Types of the machinery whose package is no API version. */
const homesById: Readonly<Record<string, string>> = {
  'meta/v1.Info': 'apimachinery.pkg.version.Info',
}

/** A reference to a component schema. */
export function refTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

/** The component schema of a struct, scalar or union; undefined for an enum, which is written out where it is used. */
export function componentOf(type: NamedType, model: Model): Schema | undefined {
  if (type.is === 'struct') return structSchema(type, model)
  if (type.is === 'enum') return undefined
  if (type.is === 'union') return { description: type.description }
  const rules = extensions(model, { validations: rulesIn(type) })
  return { description: type.description, ...scalarSchema(type.scalar), ...rules }
}

/** Properties have the order of the schema file, after `apiVersion` and `kind` of a root. */
function structSchema(struct: StructType, model: Model): Schema {
  const fields = struct.fields.map((field) => [field.name, fieldSchema(field, model)] as const)
  const properties = { ...(struct.root ? rootProperties : {}), ...Object.fromEntries(fields) }
  const required = struct.fields.filter((field) => field.required).map((field) => field.name)
  return {
    description: struct.description,
    type: 'object',
    ...(required.length > 0 && { required }),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...extensions(model, {
      'map-type': struct.mapType,
      'preserve-unknown-fields': struct.preserveUnknown || undefined,
      validations: rulesIn(struct),
      unions: struct.unions,
      'group-version-kind':
        struct.root || everywhere.has(struct.id) ? identities(struct, model) : undefined,
    }),
  }
}

/** The properties that every root has and no schema file declares. */
const rootProperties = {
  apiVersion: {
    description: 'APIVersion defines the group and version whose schema the object follows.',
    type: 'string',
  },
  kind: { description: 'Kind is the name of the schema that the object follows.', type: 'string' },
}

/** The types of the machinery that clients find in every group version, those of earlier releases among them. */
const everywhere: ReadonlySet<string> = new Set(['meta/v1.DeleteOptions', 'meta/v1.WatchEvent'])

/** Group, version and kind of the objects that a root describes. Another root of the machinery is of the empty group. */
function identities(struct: StructType, model: Model): readonly Schema[] {
  const kind = model.kindOf(struct)
  if (kind !== undefined) return [identity(kind)]
  const meta = struct.group.startsWith('meta.')
  const own = { group: meta ? '' : struct.group, kind: struct.name, version: struct.version }
  if (!everywhere.has(struct.id)) return [own]
  const { groups, removals } = model.api
  const versions = [
    ...groups.flatMap(({ group, versions: all }) => all.map((version) => ({ group, version }))),
    ...removals.map(({ group, version }) => ({ group, version })),
  ]
  const others = new Map(versions.map((one) => [`${one.group}/${one.version}`, one]))
  others.delete(`/${struct.version}`)
  const sorted = [...others].sort(([a], [b]) => (a < b ? -1 : 1))
  return [own, ...sorted.map(([, one]) => ({ ...own, ...one }))]
}

/** Group, kind and version as extensions name them. */
export function identity(kind: {
  readonly group: string
  readonly kind: string
  readonly version: string
}): Schema {
  return { group: kind.group, kind: kind.kind, version: kind.version }
}

/** The list of a kind, which no schema file declares, with its name. */
export function listSchema(kind: KindFacts, model: Model): readonly [string, Schema] {
  const item = model.type(kind.type)
  const meta = model.metaType('ListMeta')
  const listKind = `${kind.kind}List`
  const items = { type: 'array', items: valueSchema(refTo(schemaName(item, model)), {}) }
  const schema = {
    description: `A list of objects of kind ${kind.kind}.`,
    type: 'object',
    required: ['items'],
    properties: {
      ...rootProperties,
      ...(meta !== undefined && {
        metadata: wrapped(refTo(schemaName(meta, model)), 'Version and paging data of the list.', {
          default: {},
        }),
      }),
      items: { description: `The listed objects, as ${apiVersionOf(kind)}.`, ...items },
    },
    ...extensions(model, {
      'group-version-kind': [identity({ ...kind, kind: listKind })],
    }),
  }
  return [`${schemaName(item, model)}List`, schema]
}

/**
 * Vendor keywords say how a field merges; they stand beside the type, not inside a reference.
 */
function fieldSchema(field: Field, model: Model): Schema {
  const schema = typeSchema(field.type, model)
  const facts = {
    ...defaultOf(field, model),
    ...extensions(model, {
      'list-type': field.list,
      'list-map-keys': field.keys,
      'map-type': field.map,
      'patch-strategy': field.patch?.join(','),
      'patch-merge-key': field.patchKey,
    }),
  }
  if ('$ref' in schema) return wrapped(schema, field.description, facts)
  return { description: field.description, ...schema, ...facts }
}

/** What an absent field is: as the schema says, or the zero of a field that is always written. */
function defaultOf({ default: declared, required, zero, pointer, type }: Field, model: Model) {
  if (declared !== undefined) return { default: declared }
  const written = zero === 'keep' || (required && !pointer)
  const value = written ? zeroOf(type, model) : undefined
  return value === undefined ? {} : { default: value }
}

/** The zero that documents name: those of lists, maps, bytes and scalars with a text form are left out. */
function zeroOf(type: Type, model: Model): unknown {
  switch (type.is) {
    case 'string':
      return type.format === 'byte' ? undefined : ''
    case 'integer':
    case 'number':
      return 0
    case 'boolean':
      return false
    case 'ref': {
      const named = model.type(type.to)
      if (named.is === 'enum') return ''
      return named.is === 'struct' ? {} : undefined
    }
    default:
      return undefined
  }
}

/** An item of a list or a value of a map: never absent, so that its zero is told. A reference stands in a wrapping with it. */
function valueSchema(schema: Schema, zero: unknown): Schema {
  if (zero === undefined) return schema
  return '$ref' in schema ? { allOf: [schema], default: zero } : { ...schema, default: zero }
}

/** OpenAPI 3.0 ignores what stands beside a reference: it stands around it. */
function wrapped(ref: Schema, description: string, facts: Schema = {}): Schema {
  return { description, allOf: [ref], ...facts }
}

/**
 * Keywords under the platform's prefix and the public one. Left out are those without a value and those that
 * `markers.yaml` keeps unpublished.
 */
export function extensions(model: Model, facts: Schema): Schema {
  const given = Object.entries(facts).filter(([, value]) => value !== undefined)
  if (given.length === 0) return {}
  const prefixes = extensionPrefixes(model.api.platform)
  const hidden = hiddenAmong(model.api.markers)
  const entries = given
    .filter(([keyword]) => !hidden.has(keyword))
    .flatMap(([keyword, value]) => prefixes.map((prefix) => [`x-${prefix}-${keyword}`, value]))
  return Object.fromEntries(entries)
}

const hiddenOf = new WeakMap<readonly Marker[], ReadonlySet<string>>()

/** The keywords that are not published; computed once for a list of markers. */
function hiddenAmong(markers: readonly Marker[]): ReadonlySet<string> {
  const unpublished = () => markers.filter((each) => !each.published).map((each) => each.keyword)
  const hidden = hiddenOf.get(markers) ?? new Set(unpublished())
  hiddenOf.set(markers, hidden)
  return hidden
}

/** The rules of a type as documents publish them, without their positions. */
function rulesIn({ rules }: Pick<Type, 'rules'>): readonly object[] | undefined {
  return rules?.map(({ at: _, ...rule }) => rule)
}

/**
 * The schema of a type where it is used; rules beside a reference stand around it.
 * An enum is written out in place, so its rules are repeated at each use.
 */
function typeSchema(type: Type, model: Model): Schema {
  const schema = plainSchema(type, model)
  const named = type.is === 'ref' ? model.type(type.to) : undefined
  const inherited = named?.is === 'enum' ? (named.rules ?? []) : []
  const rules = [...inherited, ...(type.rules ?? [])]
  if (rules.length === 0) return schema
  const around = '$ref' in schema ? { allOf: [schema] } : schema
  return { ...around, ...extensions(model, { validations: rulesIn({ rules }) }) }
}

function plainSchema(type: Type, model: Model): Schema {
  switch (type.is) {
    case 'list': {
      const { minItems, maxItems } = type
      const bounds = {
        ...(minItems !== undefined && { minItems }),
        ...(maxItems !== undefined && { maxItems }),
      }
      return { type: 'array', items: elementSchema(type.items, model), ...bounds }
    }
    case 'map':
      return { type: 'object', additionalProperties: elementSchema(type.values, model) }
    case 'ref':
      return namedSchema(model.type(type.to), model)
    default:
      return primitiveSchema(type)
  }
}

/** An element of a list or map. The values of an enumeration are not named there. */
function elementSchema(type: Type, model: Model): Schema {
  const { enum: values, ...schema } = typeSchema(type, model)
  const told = values !== undefined && type.is !== 'ref'
  return valueSchema({ ...schema, ...(told && { enum: values }) }, zeroOf(type, model))
}

/** The values of an open enum are published where a marker says so: a validating client would refuse the others. */
function namedSchema(type: NamedType, model: Model): Schema {
  if (type.is !== 'enum') return refTo(schemaName(type, model))
  const published = type.published ?? type.closed
  return published ? { type: 'string', enum: [...type.values].sort() } : { type: 'string' }
}

/**
 * Formats follow the public documents of release 1.29: a quantity is a string or a number, raw
 * objects keep whatever they hold.
 */
function scalarSchema(scalar: Scalar): Schema {
  switch (scalar) {
    case 'time':
    case 'micro-time':
      return { type: 'string', format: 'date-time' }
    case 'duration':
      return { type: 'string' }
    case 'quantity':
      return { oneOf: [{ type: 'string' }, { type: 'number' }] }
    case 'int-or-string':
      return { oneOf: [{ type: 'integer' }, { type: 'string' }], format: 'int-or-string' }
    case 'raw-extension':
    case 'fields-v1':
      return { type: 'object' }
    case 'any':
      return {}
  }
}
