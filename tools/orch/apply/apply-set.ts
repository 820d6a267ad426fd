/** Apply sets: which objects a set has, kept on a parent object by the labels and annotations that kubectl uses. */
import { createHash } from 'node:crypto'
import type { Client, DynamicObject } from '../../../runtime/client/client.ts'
import type { Stored } from '../../../runtime/kernel/meta/object.ts'
import type { Wanted } from './objects.ts'

const prefix = 'applyset.kubernetes.io'
const idLabel = `${prefix}/id`
/** The label of members, whose value is the id of the set. */
export const partOf = `${prefix}/part-of`
const toolingKey = `${prefix}/tooling`
const kindsKey = `${prefix}/contains-group-kinds`
/** What kubectl 1.27 and 1.28 write in its place. */
const resourcesKey = `${prefix}/contains-group-resources`
const namespacesKey = `${prefix}/additional-namespaces`

/** The parent of a set. */
export interface ApplySet {
  readonly kind: 'Secret' | 'ConfigMap'
  readonly name: string
  readonly namespace: string
  readonly id: string
}

/** A set by what kubectl calls it: `NAME`, `secrets/NAME`, `configmaps/NAME`. Undefined for anything else. */
export function applySetOf(text: string, namespace: string): ApplySet | undefined {
  const [, resource = 'secrets', name] =
    /^(?:(secrets?|configmaps?)\/)?([a-z0-9][a-z0-9.-]*)$/.exec(text) ?? []
  if (name === undefined) return undefined
  const kind = resource.startsWith('secret') ? 'Secret' : 'ConfigMap'
  const digest = createHash('sha256').update(`${name}.${namespace}.${kind}.`).digest('base64url')
  return { kind, name, namespace, id: `applyset-${digest}-v1` }
}

/** What a parent says that its set has. */
interface Contents {
  readonly groupKinds: readonly string[]
  readonly namespaces: readonly string[]
}

/** What the set has by its parent; nothing if there is none yet. @throws Error for a parent that is another's. */
export async function contentsOf(client: Client, set: ApplySet): Promise<Contents> {
  const parents = await client.dynamic({ apiVersion: 'v1', kind: set.kind })
  const parent = await parents.find({ name: set.name, namespace: set.namespace })
  if (parent === undefined) return { groupKinds: [], namespaces: [set.namespace] }
  const { labels = {}, annotations = {} } = parent.metadata
  const tooling = annotations[toolingKey]
  const what = `${set.kind} ${set.namespace}/${set.name}`
  if (labels[idLabel] === undefined && tooling === undefined)
    return { groupKinds: [], namespaces: [set.namespace] }
  if (labels[idLabel] !== set.id)
    throw new Error(`${what} has the id ${labels[idLabel]} and not ${set.id}: it is of another set`)
  if (tooling !== undefined && !/^(kubectl|orch)\//.test(tooling))
    throw new Error(`${what} is kept by ${tooling}: only that tool may change the set`)
  if (annotations[kindsKey] === undefined)
    throw new Error(`${what} does not say which kinds its set has: ${unsaid(annotations)}`)
  const list = (text = '') => text.split(',').filter((one) => one !== '')
  return {
    groupKinds: list(annotations[kindsKey]),
    namespaces: [...list(annotations[namespacesKey]), set.namespace],
  }
}

/** What to do about a parent without the annotation. */
function unsaid(annotations: Readonly<Record<string, string>>): string {
  return annotations[resourcesKey] === undefined
    ? `it lacks the annotation ${kindsKey}`
    : `it has ${resourcesKey} of kubectl 1.27 or 1.28; apply the set once with a newer kubectl`
}

/** A parent as it was, if it was there, and as it is. */
export interface WrittenParent {
  readonly wanted: Wanted
  readonly before: Stored<DynamicObject> | undefined
  readonly after: Stored<DynamicObject>
}

/**
 * Writes what the set has on its parent, which is made if it is not there. The set is kubectl's in form and name, so that it may go on
 * with it; the version of the tool says who wrote it.
 */
export async function writeParent(
  client: Client,
  set: ApplySet,
  { groupKinds, namespaces }: Contents,
  version: string,
): Promise<WrittenParent> {
  const parents = await client.dynamic({ apiVersion: 'v1', kind: set.kind })
  const key = { name: set.name, namespace: set.namespace }
  const there = await parents.find(key)
  const known = there?.metadata.annotations?.[toolingKey]
  const tooling = known?.startsWith('kubectl/') ? known : `kubectl/orch-v${version}`
  const others = unique(namespaces).filter((one) => one !== set.namespace && one !== '')
  const annotations = {
    [toolingKey]: tooling,
    [kindsKey]: unique(groupKinds).join(','),
    ...((others.length > 0 || there !== undefined) && { [namespacesKey]: others.join(',') }),
  }
  const metadata = { ...key, labels: { [idLabel]: set.id }, annotations }
  const after = await parents.apply({ metadata }, { manager: 'kubectl-applyset', force: true })
  const title = `${set.kind} ${set.namespace}/${set.name}`
  return { wanted: { config: {}, resource: parents, key, title }, before: there, after }
}

/** What the set will have: `Deployment.apps`, `Secret`. */
export function contentsNow(wanted: readonly Wanted[]): Contents {
  return {
    groupKinds: wanted.map(({ resource: { kind } }) =>
      kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`,
    ),
    namespaces: wanted.map(({ key }) => key.namespace ?? ''),
  }
}

/** The members of a set that are not among what is wanted. */
export async function leftOver(
  client: Client,
  set: ApplySet,
  before: Contents,
  wanted: readonly Wanted[],
): Promise<readonly Wanted[]> {
  const kept = new Set(wanted.map(({ title, resource }) => `${resource.kind.group}/${title}`))
  const found: Wanted[] = []
  for (const groupKind of before.groupKinds) {
    const [kind = '', ...group] = groupKind.split('.')
    const resource = await client.dynamic({ group: group.join('.'), kind })
    const isCluster = resource.kind.scope === 'Cluster'
    for (const namespace of isCluster ? [''] : unique(before.namespaces)) {
      const scope = isCluster ? resource : resource.in(namespace)
      for await (const one of scope.list({ labelSelector: `${partOf}=${set.id}` })) {
        const { name } = one.metadata
        const title = isCluster ? `${kind} ${name}` : `${kind} ${namespace}/${name}`
        if (kept.has(`${resource.kind.group}/${title}`)) continue
        const key = isCluster ? { name } : { name, namespace }
        found.push({ config: plainOf(one), resource, key, title })
      }
    }
  }
  return found
}

function plainOf(object: DynamicObject) {
  return JSON.parse(JSON.stringify(object))
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort()
}
