/** A version of a CustomResourceDefinition as a schema file. */
import { statedReferences } from '../../runtime/kernel/descriptors/defined-references.ts'
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  narrowerNamePatterns,
} from '../../runtime/kernel/meta/names.ts'
import { isObject, type JsonObject } from '../../runtime/kernel/values/json.ts'
import { parseJsonPath } from '../../runtime/kernel/values/json-path.ts'
import { isDefinitionName } from '../schema/lint/types.ts'
import type { LeaveOut } from './left-out.ts'
import {
  importProperties,
  importSchema,
  listOf,
  type SchemaFileNode,
  type Untyped,
} from './structural-schema.ts'

/** A schema file, not yet a text. */
export interface SchemaFile {
  /** In the schema folder: `example.com/v1/website.yaml`. */
  readonly path: string
  readonly content: SchemaFileNode
}

/** The served versions of a definition by name, the stored one first. */
export function versionNames(definition: Untyped): readonly string[] {
  const all = versionsOf(definition)
  const served = all.filter((one) => one.served !== false)
  const versions = served.length > 0 ? served : all
  const sorted = [...versions].sort(
    (a, b) => Number(b.storage === true) - Number(a.storage === true),
  )
  return sorted.map(({ name }) => String(name))
}

/**
 * The schema file of a version. Undefined if the definition has no such version, no schema for it, or names that no server
 * would accept: they become paths and identifiers.
 */
export function schemaFileOf(
  definition: Untyped,
  version: string,
  note: LeaveOut,
): SchemaFile | undefined {
  const spec = child(definition, 'spec')
  const found = versionsOf(definition).find(({ name }) => name === version)
  const root = found && child(child(found, 'schema'), 'openAPIV3Schema')
  if (found === undefined || root === undefined) return undefined
  const names = child(spec, 'names') ?? {}
  const kind = String(names.kind)
  const group = String(spec?.group)
  const singular = typeof names.singular === 'string' ? names.singular : kind.toLowerCase()
  const accepted =
    isDefinitionName(kind) &&
    dnsSubdomainProblems(group).length === 0 &&
    [version, singular].every((name) => dnsLabelProblems(name).length === 0)
  if (!accepted) return undefined
  const content = {
    group,
    version,
    definitions: {
      [kind]: {
        ...rootOf(root, kind, kindBlock(spec ?? {}, names, found, note), note),
        ...referencesOf(definition, root, note),
      },
    },
  }
  return { path: `${group}/${version}/${singular}.yaml`, content }
}

/**
 * The root of the kind. What every object has is implied or refers to the machinery; the root's own rules and description
 * stand beside its fields.
 */
function rootOf(
  root: Untyped,
  kind: string,
  block: SchemaFileNode,
  note: LeaveOut,
): SchemaFileNode {
  const own = isObject(root.properties) ? root.properties : {}
  const { apiVersion: _, kind: __, metadata: ___, ...declared } = own
  const { properties, required } = importProperties({ ...root, properties: declared }, '', note)
  const {
    properties: ____,
    required: _____,
    type: ______,
    ...rest
  } = importSchema({ ...root, type: 'object', properties: {} }, '', note)
  return {
    description: `${kind} as its definition describes it.`,
    ...rest,
    type: 'object',
    ...(required.length > 0 && { required }),
    'x-orch-kind': block,
    properties: {
      metadata: {
        description: 'Identity and bookkeeping data.',
        $ref: 'orch:meta/v1/object-meta.yaml#/definitions/ObjectMeta',
        'x-orch-zero': 'keep',
      },
      ...properties,
    },
  }
}

/** The references that the definition declares, with those left out that lead through no field of this version. */
function referencesOf(definition: Untyped, root: Untyped, note: LeaveOut): SchemaFileNode {
  const { rows } = statedReferences(definition as JsonObject)
  const own = rows.filter(({ field, kindField, groupField, namespaceField, keys }) => {
    const holder = field.slice(0, field.lastIndexOf('.') + 1)
    const beside = [kindField, groupField, namespaceField, keys].flatMap((one) => one ?? [])
    const paths = [field, ...beside.map((one) => `${holder}${one}`)]
    const isThere = paths.every((path) => isField(root, path.replaceAll('[]', '').split('.')))
    if (!isThere) note('a reference', `.${field}`)
    return isThere
  })
  return own.length === 0 ? {} : { 'x-orch-references': own }
}

function isField(schema: Untyped | undefined, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true
  const found = child(child(schema, 'properties'), name)
  return found !== undefined && isField(child(found, 'items') ?? found, rest)
}

/** How the kind is served, in the words of `x-orch-kind`. Custom resources are never overwritten without a revision. */
function kindBlock(
  spec: Untyped,
  names: Untyped,
  version: Untyped,
  note: LeaveOut,
): SchemaFileNode {
  const { plural, singular, shortNames, categories, kind } = names
  return {
    plural,
    ...(singular !== undefined && { singular }),
    ...(listOf(shortNames).length > 0 && { shortNames }),
    ...(listOf(categories).length > 0 && { categories }),
    scope: spec.scope,
    subresources: subresourcesOf(child(version, 'subresources') ?? {}),
    ...nameFormatOf(version),
    unconditionalUpdate: false,
    generation: true,
    columns: [
      {
        name: 'Name',
        type: 'string',
        format: 'name',
        description: `Name of the ${kind}.`,
        cell: '.metadata.name',
      },
      ...columnsOf(version, note),
    ],
  }
}

/** Names that are narrower than those of every object, as `orch generate` writes them into definitions. */
function nameFormatOf(version: Untyped): SchemaFileNode {
  const root = child(child(version, 'schema'), 'openAPIV3Schema')
  const name = child(child(child(child(root, 'properties'), 'metadata'), 'properties'), 'name')
  const [nameFormat] =
    Object.entries(narrowerNamePatterns).find(([, pattern]) => pattern === name?.pattern) ?? []
  return nameFormat === undefined ? {} : { nameFormat }
}

/** Schema files write paths without the dot that definitions begin them with. */
function subresourcesOf({ status, scale }: Untyped): SchemaFileNode {
  const bare = (path: unknown) => (typeof path === 'string' ? path.replace(/^\./, '') : undefined)
  const paths = isObject(scale) && {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    specReplicasPath: bare(scale.specReplicasPath),
    statusReplicasPath: bare(scale.statusReplicasPath),
    ...(scale.labelSelectorPath !== undefined && {
      labelSelectorPath: bare(scale.labelSelectorPath),
    }),
  }
  return { ...(isObject(status) && { status: {} }), ...(paths && { scale: paths }) }
}

/** The columns of a definition; without any, the age as every table shows it. A path that is more than a row of names is a JSON path. */
function columnsOf(version: Untyped, note: LeaveOut): readonly SchemaFileNode[] {
  const given = listOf(version.additionalPrinterColumns).filter(isObject)
  if (given.length === 0) return [ageColumn]
  return given.flatMap((column) => {
    const { name, type, format, description, priority, jsonPath } = column
    const path = String(jsonPath)
    if (path === '.metadata.creationTimestamp') return [{ ...ageColumn, name }]
    const isPlain = /^(\.[A-Za-z][-\w]*)+$/.test(path)
    if (!isPlain && parseJsonPath(path) === undefined) {
      note(`the column ${path}`, `"${name}"`)
      return []
    }
    return [
      {
        name,
        type: type === 'date' && isPlain ? 'string' : type,
        ...(format !== undefined && { format }),
        ...(description !== undefined && { description }),
        ...(priority !== undefined && { priority }),
        cell: isPlain ? path : `$${path}`,
        ...(type === 'date' && isPlain && { show: 'age' }),
      },
    ]
  })
}

/** The column that every server shows for a kind that names none. */
const ageColumn = {
  name: 'Age',
  type: 'string',
  description: 'Time since it was created.',
  cell: 'age',
}

function versionsOf(definition: Untyped): readonly Untyped[] {
  return listOf(child(definition, 'spec')?.versions).filter(isObject)
}

function child(node: Untyped | undefined, key: string): Untyped | undefined {
  const value = node?.[key]
  return isObject(value) ? value : undefined
}
