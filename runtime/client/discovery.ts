/** What a server serves, as it tells by discovery: all at once where it can, one group version after another elsewhere. */
import { allVerbs, type Kind, type Subresource, type Verb } from '../kernel/descriptors/kind.ts'
import { isStatus } from '../kernel/errors/status-error.ts'
import { apiVersionOf } from '../kernel/meta/object.ts'
import { isObject, type JsonObject } from '../kernel/values/json.ts'
import { type DynamicObject, dynamicKind } from './dynamic-kind.ts'
import type { GroupSuffixes } from './platform-names.ts'
import type { RestClient } from './rest-client.ts'

/** What a server said it serves. */
export interface Discovered {
  /** Groups and versions in the server's order, preferred ones first. */
  readonly kinds: readonly Kind<DynamicObject>[]
  /** The group versions whose resources it could not tell, because another server has them. */
  readonly unknown: readonly string[]
}

/** A group version. */
interface GroupVersion {
  readonly group: string
  readonly version: string
}

/** So many group versions are asked for at a time. */
const asksAtOnce = 8

/** Asks a server what it serves. */
export async function discover(
  client: RestClient,
  suffixes: GroupSuffixes | undefined,
  signal: AbortSignal | undefined,
): Promise<Discovered> {
  const [core, named] = await Promise.all(
    ['/api', '/apis'].map((path) => discoverRoot(client, path, acceptOf(suffixes), signal)),
  )
  return {
    kinds: [...(core?.kinds ?? []), ...(named?.kinds ?? [])],
    unknown: [...(core?.unknown ?? []), ...(named?.unknown ?? [])],
  }
}

/** Asks for one document with everything, in every version and by every name of its group; else for a plain one. */
function acceptOf(suffixes: GroupSuffixes | undefined): string {
  const { api, publicApi } = suffixes ?? { api: 'k8s.io', publicApi: undefined }
  const groups = [...new Set([publicApi, api])].flatMap((suffix) => suffix ?? [])
  const forms = groups.flatMap((suffix) =>
    ['v2', 'v2beta1'].map(
      (version) =>
        `application/json;g=apidiscovery.${suffix};v=${version};as=APIGroupDiscoveryList`,
    ),
  )
  return [...forms, 'application/json'].join(',')
}

async function discoverRoot(
  client: RestClient,
  path: string,
  accept: string,
  signal: AbortSignal | undefined,
): Promise<Discovered> {
  const document = await client.send({ method: 'GET', path, accept, signal })
  if (!isObject(document)) return { kinds: [], unknown: [] }
  if (document.kind === 'APIGroupDiscoveryList') return readAggregated(document)
  return discoverEach(client, groupVersionsOf(document), signal)
}

function readAggregated(document: JsonObject): Discovered {
  const versions = objectsIn(document.items).flatMap((item) => {
    const group = isObject(item.metadata) ? textOf(item.metadata.name) : ''
    return objectsIn(item.versions).map((of) => ({ of, group, version: textOf(of.version) }))
  })
  return {
    kinds: versions.flatMap(({ of, ...at }) =>
      objectsIn(of.resources).map((resource) => aggregatedKind(resource, at)),
    ),
    unknown: versions.filter(({ of }) => of.freshness === 'Stale').map(apiVersionOf),
  }
}

function aggregatedKind(resource: JsonObject, at: GroupVersion): Kind<DynamicObject> {
  return dynamicKind({
    ...at,
    kind: isObject(resource.responseKind) ? textOf(resource.responseKind.kind) : '',
    plural: textOf(resource.resource),
    scope: resource.scope === 'Cluster' ? 'Cluster' : 'Namespaced',
    ...namesOf(resource, textOf(resource.singularResource)),
    subresources: objectsIn(resource.subresources).map((sub) => {
      const { group, version, kind } = isObject(sub.responseKind) ? sub.responseKind : {}
      const of = { group: textOf(group) || at.group, version: textOf(version) || at.version }
      return subresourceOf(textOf(sub.subresource), textOf(kind), of, sub)
    }),
  })
}

/** The group versions of an APIVersions or an APIGroupList, the preferred one of each group first. */
function groupVersionsOf(document: JsonObject): readonly GroupVersion[] {
  if (Array.isArray(document.versions)) {
    return document.versions.map((version) => ({ group: '', version: textOf(version) }))
  }
  return objectsIn(document.groups).flatMap((group) => {
    const preferred = isObject(group.preferredVersion) ? textOf(group.preferredVersion.version) : ''
    const versions = objectsIn(group.versions).map(({ version }) => textOf(version))
    const rest = versions.filter((version) => version !== preferred)
    const all = versions.includes(preferred) ? [preferred, ...rest] : rest
    return all.map((version) => ({ group: textOf(group.name), version }))
  })
}

/** A group version that does not answer is one of a server behind this one: the others are still good. */
async function discoverEach(
  client: RestClient,
  versions: readonly GroupVersion[],
  signal: AbortSignal | undefined,
): Promise<Discovered> {
  const kinds: Kind<DynamicObject>[] = []
  const unknown: string[] = []
  for (let from = 0; from < versions.length; from += asksAtOnce) {
    const some = versions.slice(from, from + asksAtOnce)
    const answers = await Promise.all(some.map((at) => resourcesOf(client, at, signal)))
    for (const [index, answer] of answers.entries()) {
      const at = some[index] as GroupVersion
      if (answer === undefined) unknown.push(apiVersionOf(at))
      else kinds.push(...kindsIn(answer, at))
    }
  }
  return { kinds, unknown }
}

async function resourcesOf(
  client: RestClient,
  at: GroupVersion,
  signal: AbortSignal | undefined,
): Promise<readonly JsonObject[] | undefined> {
  const path = at.group === '' ? `/api/${at.version}` : `/apis/${at.group}/${at.version}`
  try {
    const list = await client.send({ method: 'GET', path, signal })
    return isObject(list) ? objectsIn(list.resources) : []
  } catch (error) {
    if (isStatus(error, 'NotFound')) return []
    if (isStatus(error) && error.code >= 500 && !signal?.aborted) return undefined
    throw error
  }
}

/** Subresources stand beside their resources as `<resource>/<subresource>`. */
function kindsIn(
  resources: readonly JsonObject[],
  at: GroupVersion,
): readonly Kind<DynamicObject>[] {
  const subresources = resources.filter(({ name }) => textOf(name).includes('/'))
  const whole = resources.filter(({ name }) => !textOf(name).includes('/'))
  return whole.map((resource) => {
    const plural = textOf(resource.name)
    const own = subresources.filter(({ name }) => textOf(name).startsWith(`${plural}/`))
    return dynamicKind({
      ...at,
      kind: textOf(resource.kind),
      plural,
      scope: resource.namespaced === true ? 'Namespaced' : 'Cluster',
      ...namesOf(resource, textOf(resource.singularName)),
      subresources: own.map((sub) => {
        const of = {
          group: textOf(sub.group) || at.group,
          version: textOf(sub.version) || at.version,
        }
        return subresourceOf(textOf(sub.name).slice(plural.length + 1), textOf(sub.kind), of, sub)
      }),
    })
  })
}

function namesOf(resource: JsonObject, singular: string) {
  return {
    ...(singular !== '' && { singular }),
    shortNames: textsIn(resource.shortNames),
    categories: textsIn(resource.categories),
    verbs: verbsOf(resource),
  }
}

function subresourceOf(
  name: string,
  kind: string,
  of: GroupVersion,
  resource: JsonObject,
): Subresource {
  return { name, kind, apiVersion: apiVersionOf(of), verbs: verbsOf(resource) }
}

function verbsOf({ verbs }: JsonObject): readonly Verb[] {
  const named = textsIn(verbs)
  return allVerbs.filter((verb) => named.includes(verb))
}

function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : []
}

function textsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
