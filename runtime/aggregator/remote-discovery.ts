/** What other servers say they serve: read field by field, since it may be anything. */
import { isObject, type Json, type JsonObject } from '../kernel/values/json.ts'

/** The resources of a group version, in the form of aggregated discovery. */
export type RemoteResources = readonly JsonObject[]

/** Resources that one group version may have. */
const mostResources = 1000

/** Entries of one list of words. */
const mostWords = 100

/** The resources of one group version in an aggregated document; undefined if it does not have that version. */
export function resourcesOf(
  document: JsonObject,
  group: string,
  version: string,
): RemoteResources | undefined {
  const groups = objectsOf(document.items).filter(
    ({ metadata }) => textOf(isObject(metadata) ? metadata.name : undefined) === group,
  )
  const found = groups
    .flatMap(({ versions }) => objectsOf(versions))
    .find((one) => one.version === version)
  return found && objectsOf(found.resources).slice(0, mostResources).map(resourceOf)
}

function resourceOf(resource: JsonObject): JsonObject {
  const { shortNames, categories, subresources } = resource
  return {
    resource: textOf(resource.resource),
    responseKind: kindOf(resource.responseKind),
    scope: resource.scope === 'Cluster' ? 'Cluster' : 'Namespaced',
    singularResource: textOf(resource.singularResource),
    verbs: wordsOf(resource.verbs),
    ...listed('shortNames', wordsOf(shortNames)),
    ...listed('categories', wordsOf(categories)),
    ...listed('subresources', objectsOf(subresources).slice(0, mostWords).map(subresourceOf)),
  }
}

function subresourceOf(subresource: JsonObject): JsonObject {
  return {
    subresource: textOf(subresource.subresource),
    responseKind: kindOf(subresource.responseKind),
    ...listed(
      'acceptedTypes',
      objectsOf(subresource.acceptedTypes).slice(0, mostWords).map(kindOf),
    ),
    verbs: wordsOf(subresource.verbs),
  }
}

/** The resources of a list of the old form, in which a subresource stands beside its resource. */
export function resourcesOfList(document: JsonObject): RemoteResources {
  const rows = objectsOf(document.resources).slice(0, mostResources)
  const byName = new Map<string, JsonObject>()
  for (const row of rows) {
    const [name = '', subresource] = textOf(row.name).split('/')
    if (subresource === undefined) byName.set(name, fromRow(name, row))
  }
  for (const row of rows) {
    const [name = '', subresource] = textOf(row.name).split('/')
    if (subresource === undefined) continue
    const parent = byName.get(name) ?? withoutKind(name, row)
    const own = { subresource, responseKind: kindOf(row), verbs: wordsOf(row.verbs) }
    byName.set(name, { ...parent, subresources: [...objectsOf(parent.subresources), own] })
  }
  return [...byName.values()]
}

function fromRow(name: string, row: JsonObject): JsonObject {
  return {
    resource: name,
    responseKind: kindOf(row),
    scope: scopeOf(row),
    singularResource: textOf(row.singularName),
    verbs: wordsOf(row.verbs),
    ...listed('shortNames', wordsOf(row.shortNames)),
    ...listed('categories', wordsOf(row.categories)),
  }
}

/** A resource that has subresources and is none itself. */
function withoutKind(name: string, row: JsonObject): JsonObject {
  return {
    resource: name,
    responseKind: kindOf({}),
    scope: scopeOf(row),
    singularResource: '',
    verbs: [],
  }
}

function scopeOf({ namespaced }: JsonObject): string {
  return namespaced === true ? 'Namespaced' : 'Cluster'
}

/** A kind; group and version are empty where they are those of the list. */
function kindOf(value: Json | undefined): JsonObject {
  const { group, version, kind } = isObject(value) ? value : {}
  return { group: textOf(group), version: textOf(version), kind: textOf(kind) }
}

function listed(name: string, list: readonly Json[]): JsonObject {
  return list.length === 0 ? {} : { [name]: list as Json[] }
}

function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

function wordsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.slice(0, mostWords).map(textOf).filter(Boolean) : []
}

/** A word of bounded length; what is no text is the empty one. */
function textOf(value: Json | undefined): string {
  return typeof value === 'string' && value.length <= 512 ? value : ''
}
