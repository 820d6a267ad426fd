/**
 * Emits a CustomResourceDefinition for each kind of a user's own group: the way of the kind into any cluster. What only the
 * compiled kind has (strategies, checks written by hand, zeros that are left out, cells that are functions) is not in it.
 */
import { stringify } from 'yaml'
import type { Column, Subresource } from '../../../runtime/kernel/descriptors/kind.ts'
import type { Platform } from '../../../runtime/kernel/descriptors/platform.ts'
import { referencesAnnotation } from '../../../runtime/kernel/descriptors/references.ts'
import {
  longestLabel,
  type NameFormat,
  narrowerNamePatterns,
} from '../../../runtime/kernel/meta/names.ts'
import type { Finding } from '../../schema/finding.ts'
import type { Api, KindFacts } from '../../schema/ir.ts'
import type { StructType } from '../../schema/named-type.ts'
import type { TextArtefact } from '../artefact.ts'
import type { Model } from '../model/model.ts'
import { declaredReferences } from './declared-references.ts'
import { fieldsAlong } from './fields-along.ts'
import { immutableRule } from './immutable-fields.ts'
import { rulesKey, type Schema, structuralSchema } from './structural-schema.ts'

/** The resources that have a definition, as `<plural>.<group>`: those whose group is a domain of the user's. */
export function definitionNames(model: Model): readonly string[] {
  const own = model.kinds.filter(({ group }) => isDomainOfUsers(group, model.api.platform))
  return [...new Set(own.map(nameOf))].sort()
}

/** True for a domain that is not of the platform: servers take definitions of no other groups. */
function isDomainOfUsers(group: string, { api, publicApi }: Platform): boolean {
  const platforms = [api, publicApi].map((suffix) => `.${suffix}`)
  return group.includes('.') && !platforms.some((suffix) => group.endsWith(suffix))
}

/** The first kind of each group of a user that can have no definition, with what keeps it from one. */
export function withoutDefinitions({ kinds, platform }: Api): readonly Finding[] {
  const first = new Map<string, KindFacts>()
  for (const kind of kinds) {
    if (kind.external || isDomainOfUsers(kind.group, platform)) continue
    if (!first.has(kind.group)) first.set(kind.group, kind)
  }
  return [...first].map(([group, { at }]) => ({
    at,
    code: 'no-definition',
    message: `kinds of the group "${group}" have no definition: other servers take those of a domain of yours, such as ${group.split('.')[0]}.example.com`,
  }))
}

/** `definitions/<plural>.<group>.yaml`, with all versions of the resource. */
export function definitionOf(name: string, model: Model): TextArtefact {
  const versions = model.kinds.filter((kind) => nameOf(kind) === name)
  const from = [...new Set(versions.map(({ at }) => at.file))]
  const text = stringify(manifestOf(name, versions, model), {
    lineWidth: 0,
    aliasDuplicateObjects: false,
  })
  return { is: 'text', path: `definitions/${name}.yaml`, from, text }
}

function nameOf({ plural, group }: Pick<KindFacts, 'plural' | 'group'>): string {
  return `${plural}.${group}`
}

function manifestOf(name: string, versions: readonly KindFacts[], model: Model): object {
  const stored = versions.find(({ storedAs }) => storedAs === undefined) as KindFacts
  const { group, scope, kind, plural, singular, shortNames, categories } = stored
  const references = declaredReferences(stored, model)
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name, ...(references && { annotations: { [referencesAnnotation]: references } }) },
    spec: {
      group,
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        ...(shortNames.length > 0 && { shortNames }),
        ...(categories.length > 0 && { categories }),
      },
      versions: versions.map((version) => versionOf(version, version === stored, model)),
      ...conversionOf(versions),
    },
  }
}

function versionOf(kind: KindFacts, storage: boolean, model: Model): object {
  const columns = kind.columns.flatMap((column) => columnOf(column) ?? [])
  const root = model.type(kind.type) as StructType
  const subresources = Object.fromEntries(
    kind.subresources.flatMap((sub) => subresourceOf(sub, root, model)),
  )
  return {
    name: kind.version,
    served: true,
    storage,
    ...(kind.deprecated !== undefined && { deprecated: true }),
    schema: { openAPIV3Schema: rootSchema(kind, root, model) },
    ...(Object.keys(subresources).length > 0 && { subresources }),
    ...(columns.length > 0 && { additionalPrinterColumns: columns }),
  }
}

/** The schema of the objects: identity first, then what the schema file declares. */
function rootSchema(kind: KindFacts, root: StructType, model: Model): Schema {
  const { properties, [rulesKey]: rules, ...schema } = structuralSchema(root, model)
  const immutable = (kind.immutable ?? []).map((path) => immutableRule(path, root, model))
  const all = [...((rules ?? []) as readonly object[]), ...immutable]
  return {
    ...schema,
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: metadataSchema(kind.nameFormat),
      ...(properties as Schema),
    },
    ...(all.length > 0 && { [rulesKey]: all }),
  }
}

/** Every cluster checks that a name is a DNS subdomain; what is narrower stands in the schema. */
function metadataSchema(format: NameFormat): Schema {
  const pattern = new Map<string, string>(Object.entries(narrowerNamePatterns)).get(format)
  const name = { type: 'string', maxLength: longestLabel, pattern }
  return { type: 'object', ...(pattern !== undefined && { properties: { name } }) }
}

/** Servers answer the subresources `status` and `scale` of custom resources, and no others. */
function subresourceOf(
  { name, scale }: Subresource,
  root: StructType,
  model: Model,
): readonly (readonly [string, object])[] {
  if (name === 'status') return [['status', {}]]
  if (name !== 'scale' || scale === undefined) return []
  const { specReplicasPath, statusReplicasPath, labelSelectorPath: selector } = scale
  const paths = {
    specReplicasPath: `.${specReplicasPath}`,
    statusReplicasPath: `.${statusReplicasPath}`,
    ...(isText(selector, root, model) && { labelSelectorPath: `.${selector}` }),
  }
  return [['scale', paths]]
}

/** A definition's selector is a text: one that is an object has no place in a Scale there. */
function isText(path: string | undefined, root: StructType, model: Model): boolean {
  const fields = path === undefined ? [] : fieldsAlong(path.split('.'), root, model)
  return fields.at(-1)?.type.is === 'string'
}

/** A column that shows a value as text or its age; the name is a column of every table. */
function columnOf({ cell, show = 'text', ...column }: Column): object | undefined {
  if (cell === '.metadata.name') return undefined
  const path = cell === 'age' ? '.metadata.creationTimestamp' : cell.replace(/^\$/, '')
  if (!path.startsWith('.') || !['age', 'text'].includes(show)) return undefined
  const { name, format, description, priority } = column
  return {
    name,
    type: cell === 'age' || show === 'age' ? 'date' : column.type,
    ...(format !== undefined && { format }),
    description,
    ...(priority !== undefined && { priority }),
    jsonPath: path,
  }
}

/** Versions that differ in more than their name are converted by the operator that serves `/convert`. */
function conversionOf(versions: readonly KindFacts[]): object {
  const differs = versions.some(({ conversion }) => (conversion?.steps.length ?? 0) > 0)
  if (!differs) return {}
  const owner = versions[0]?.group.split('.')[0] ?? ''
  const service = { namespace: `${owner}-system`, name: `${owner}-operator`, path: '/convert' }
  return {
    conversion: {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { service } },
    },
  }
}
