/** The paths of a group version: every verb of every kind, of its subresources, and the old paths of watches. */

import type { Subresource, Verb } from '../descriptors/kind.ts'
import { apiVersionOf } from '../meta/object.ts'
import { capitalized } from '../values/capitalized.ts'
import { type Action, groupWord, type Operation, operationOf, refTo, tagOf } from './operations.ts'
import { type Operations, pathItem, pathParameter } from './parameters.ts'
import type { DocumentedKind, PathContext, Schema } from './path-context.ts'

/** A path and its item. */
type Path = readonly [path: string, item: Schema]

/** The paths that have at least one operation, sorted. */
export function pathsOf(
  key: string,
  kinds: readonly DocumentedKind[],
  context: PathContext,
): Readonly<Record<string, Schema>> {
  const paths = kinds.flatMap((kind) => kindPaths(kind, context))
  const known = paths.filter(([, item]) => Object.keys(item).length > 0)
  const [first] = kinds
  const all = first === undefined ? known : [resourceListPath(key, first, context), ...known]
  return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The path under which the resources of the group version of a kind are listed. */
export function resourceListPath(
  key: string,
  kind: Pick<DocumentedKind, 'group' | 'version'>,
  context: PathContext,
): Path {
  const media = [
    'application/json',
    'application/yaml',
    `application/vnd.${context.platform.vendor}.protobuf`,
  ]
  const schema = { schema: refTo(context.meta('APIResourceList')) }
  const get = {
    tags: [tagOf(kind, context)],
    description: 'Lists the resources of the group version.',
    operationId: `get${groupVersionWord(kind, context)}APIResources`,
    responses: {
      200: { description: 'OK', content: Object.fromEntries(media.map((type) => [type, schema])) },
      401: { description: 'Unauthorized' },
    },
  }
  return [`/${key}/`, { get }]
}

function groupVersionWord(
  { group, version }: Pick<DocumentedKind, 'group' | 'version'>,
  context: PathContext,
): string {
  return capitalized(groupWord(group, context)) + capitalized(version)
}

/** The paths of one kind. Creating and deleting a collection need a namespace; across all of them there are lists only. */
export function kindPaths(kind: DocumentedKind, context: PathContext): readonly Path[] {
  const apiVersion = apiVersionOf(kind)
  const object = context.schemaOf(apiVersion, kind.kind)
  if (object === undefined) return []
  const namespaced = kind.scope === 'Namespaced'
  const root = `${kind.group === '' ? '/api' : '/apis'}/${apiVersion}`
  const inside = namespaced ? '/namespaces/{namespace}' : ''
  const word = groupVersionWord(kind, context)
  const own = `${word}${namespaced ? 'Namespaced' : ''}`
  const has = (verb: Verb) => kind.verbs.includes(verb)
  const facts = { kind, body: kind, object, list: `${object}List` }
  const make = (action: Action, id: string): Schema =>
    operationOf({ ...facts, action, id }, context)
  const some = (made: Readonly<Record<string, Schema | false>>): Operations =>
    Object.fromEntries(Object.entries(made).filter(([, one]) => one !== false)) as Operations
  const namespace = namespaced ? [pathParameter('namespace', kind.kind)] : []
  const one = [...namespace, pathParameter('name', kind.kind)]
  const collection = some({
    get: has('list') && make('list', `list${own}${kind.kind}`),
    post: has('create') && make('post', `create${own}${kind.kind}`),
    delete:
      has('deletecollection') &&
      make(
        'deletecollection',
        `delete${word}Collection${namespaced ? 'Namespaced' : ''}${kind.kind}`,
      ),
  })
  const item = some({
    get: has('get') && make('get', `read${own}${kind.kind}`),
    put: has('update') && make('put', `replace${own}${kind.kind}`),
    patch: has('patch') && make('patch', `patch${own}${kind.kind}`),
    delete: has('delete') && make('delete', `delete${own}${kind.kind}`),
  })
  const everywhere = `${word}${kind.kind}`
  const across: Path[] =
    namespaced && has('list')
      ? [
          [
            `${root}/${kind.plural}`,
            pathItem({ get: make('list', `list${everywhere}ForAllNamespaces`) }, []),
          ],
        ]
      : []
  return [
    ...across,
    [`${root}${inside}/${kind.plural}`, pathItem(collection, namespace)],
    [`${root}${inside}/${kind.plural}/{name}`, pathItem(item, one)],
    ...kind.subresources.flatMap((sub) =>
      subresourcePaths(
        `${root}${inside}/${kind.plural}/{name}`,
        sub,
        { ...facts, id: own },
        context,
      ),
    ),
    ...(has('watch') && has('list') && kind.customResource === undefined
      ? watchPaths(root, { ...facts, id: word }, context)
      : []),
  ]
}

/** Watches under the paths of early releases: of one object, of a namespace, of all of them. */
function watchPaths(
  root: string,
  facts: Omit<Operation, 'action'>,
  context: PathContext,
): readonly Path[] {
  const { kind, id: word } = facts
  const namespaced = kind.scope === 'Namespaced'
  const inside = namespaced ? '/namespaces/{namespace}' : ''
  const own = `watch${word}${namespaced ? 'Namespaced' : ''}${kind.kind}`
  const namespace = namespaced ? [pathParameter('namespace', kind.kind)] : []
  const path = (where: string, id: string, shared: readonly Schema[]): Path => [
    `${root}/watch${where}`,
    pathItem(
      {
        get: operationOf(
          { ...facts, action: where.endsWith('{name}') ? 'watch' : 'watchlist', id },
          context,
        ),
      },
      shared,
    ),
  ]
  const all = path(`/${kind.plural}`, `watch${word}${kind.kind}ListForAllNamespaces`, [])
  return [
    ...(namespaced ? [all] : []),
    path(`${inside}/${kind.plural}`, `${own}List`, namespace),
    ...(kind.verbs.includes('get')
      ? [
          path(`${inside}/${kind.plural}/{name}`, own, [
            ...namespace,
            pathParameter('name', kind.kind),
          ]),
        ]
      : []),
  ]
}

/** A subresource whose body is another object but no scale needs an action; one without is not served. */
function subresourcePaths(
  base: string,
  sub: Omit<Subresource, 'body'>,
  facts: Omit<Operation, 'action'>,
  context: PathContext,
): readonly Path[] {
  const { kind, id: own } = facts
  const same = sub.kind === kind.kind && sub.apiVersion === apiVersionOf(kind)
  const object = context.schemaOf(sub.apiVersion, sub.kind)
  if (object === undefined || (!same && sub.action === undefined && sub.scale === undefined)) {
    return []
  }
  if (same && !sub.verbs.includes('update')) return []
  const slash = sub.apiVersion.indexOf('/')
  const body = {
    group: sub.apiVersion.slice(0, Math.max(slash, 0)),
    version: sub.apiVersion.slice(slash + 1),
    kind: sub.kind,
  }
  const methods = [
    ['get', 'get', 'get', 'read'],
    ['post', 'create', 'post', 'create'],
    ['put', 'update', 'put', 'replace'],
    ['patch', 'patch', 'patch', 'patch'],
  ] as const
  const operations = methods.flatMap(([method, verb, action, word]) => {
    if (!sub.verbs.includes(verb)) return []
    const id = `${word}${own}${kind.kind}${capitalized(sub.name)}`
    const made = { ...facts, action, id, body, object, subresource: sub.name }
    return [[method, operationOf(made, context)] as const]
  })
  const shared = [
    ...(kind.scope === 'Namespaced' ? [pathParameter('namespace', sub.kind)] : []),
    pathParameter('name', sub.kind),
  ]
  return [[`${base}/${sub.name}`, pathItem(Object.fromEntries(operations), shared)]]
}
