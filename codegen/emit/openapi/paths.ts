/** The paths of a group version: every verb of every kind, and of the subresources whose bodies the tree knows. */
import type { KindFacts } from '../../schema/ir.ts'
import { groupName, upperFirst, versionKey } from '../code/names.ts'
import type { Model } from '../model/model.ts'
import { type Operation, operation } from './operations.ts'
import { type OperationVerb, pathParameter } from './parameters.ts'
import { type Schema, schemaName } from './schemas.ts'

/**
 * The ids of the machinery's types that operations take and give.
 * They are in every document, whether an operation refers to them or not.
 */
export function metaTypes(model: Model): readonly string[] {
  const names = ['APIResourceList', 'DeleteOptions', 'ListMeta', 'Status']
  return names.flatMap((name) => {
    const type = model.metaType(name)
    return type?.is === 'struct' ? [type.id] : []
  })
}

/** The paths that have at least one operation: a kind that can only be created has no path of one object. */
export function pathsOf(kinds: readonly KindFacts[], model: Model): Schema {
  const paths = kinds.flatMap((kind) => [
    ...collectionPaths(kind, model),
    ...objectPaths(kind, model),
  ])
  const answered = paths.filter(([, { parameters, ...verbs }]) => Object.keys(verbs).length > 0)
  return Object.fromEntries(answered.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** A path and its item: the operations by method, and the parameters that they share. */
type Path = readonly [path: string, item: Schema]

/**
 * Of a namespaced kind: the collection of one namespace, and the list across all of them.
 * Creating and deleting a collection need a namespace; across all of them there is only the list,
 * as `listCoreV1PodForAllNamespaces`.
 */
function collectionPaths(kind: KindFacts, model: Model): readonly Path[] {
  const base = `/${versionKey(kind)}`
  const facts = { model, kind, schema: schemaName(model.type(kind.type), model) }
  const has = (verb: KindFacts['verbs'][number]): boolean => kind.verbs.includes(verb)
  const list = (scope: string): Operation => ({
    ...facts,
    verb: 'list',
    id: id('list', kind, scope),
  })
  const own = scopeOf(kind)
  const item = present({
    get: has('list') && operation(list(own)),
    post: has('create') && operation({ ...facts, verb: 'create', id: id('create', kind, own) }),
    delete:
      has('deletecollection') &&
      operation({
        ...facts,
        verb: 'deletecollection',
        id: id('delete', kind, `Collection${own}`),
      }),
  })
  if (kind.scope === 'Cluster') return [[`${base}/${kind.plural}`, item]]
  const across = present({
    get: has('list') && operation({ ...list(''), id: `${id('list', kind, '')}ForAllNamespaces` }),
  })
  return [
    [`${base}/${kind.plural}`, across],
    [
      `${base}/namespaces/{namespace}/${kind.plural}`,
      { ...item, parameters: [pathParameter('namespace')] },
    ],
  ]
}

/**
 * One object, and below it each subresource that can be written.
 * A subresource that can only be read, or whose body the tree does not know, is left out.
 */
function objectPaths(kind: KindFacts, model: Model): readonly Path[] {
  const namespaced = kind.scope === 'Namespaced'
  const base = `/${versionKey(kind)}${namespaced ? '/namespaces/{namespace}' : ''}/${kind.plural}/{name}`
  const parameters = [pathParameter('name'), ...(namespaced ? [pathParameter('namespace')] : [])]
  const facts = { model, kind, schema: schemaName(model.type(kind.type), model) }
  const main = itemOf(facts, kind.verbs, '')
  const below = kind.subresources.flatMap((sub): Path[] => {
    const body = model.bodyOf(sub)
    if (body === undefined || sub.verbs.every((verb) => verb === 'get')) return []
    const schema = schemaName(model.type(body.type), model)
    const item = itemOf(
      { model, kind: { ...kind, ...kindOf(body) }, schema },
      sub.verbs,
      upperFirst(sub.name),
      kind,
    )
    return [[`${base}/${sub.name}`, { ...item, parameters }]]
  })
  return [[base, { ...main, parameters }], ...below]
}

/**
 * Operations of a subresource are tagged with the kind of its body, such as `autoscaling/v1
 * Scale`.
 */
function kindOf(body: KindFacts) {
  return { group: body.group, version: body.version, kind: body.kind }
}

/**
 * `named` is the kind that the operationId speaks of, also where the body is another one:
 * `replaceAppsV1NamespacedDeploymentScale`. Only subresources can be created at an object's path.
 */
function itemOf(
  facts: Omit<Operation, 'verb' | 'id'>,
  verbs: KindFacts['verbs'],
  tail: string,
  named: KindFacts = facts.kind,
): Schema {
  const make = (verb: OperationVerb, word: string) =>
    verbs.includes(verb) &&
    operation({ ...facts, verb, id: id(word, named, scopeOf(named)) + tail })
  return present({
    get: make('get', 'read'),
    post: verbs !== named.verbs && make('create', 'create'),
    put: make('update', 'replace'),
    patch: make('patch', 'patch'),
    delete: make('delete', 'delete'),
  })
}

/** The item without verbs that the kind does not have. */
function present(item: Readonly<Record<string, Schema | false>>): Schema {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== false))
}

function scopeOf(kind: KindFacts): string {
  return kind.scope === 'Namespaced' ? 'Namespaced' : ''
}

/** The operationId: `listCoreV1NamespacedPod`. */
function id(verb: string, kind: KindFacts, scope: string): string {
  return `${verb}${upperFirst(groupName(kind.group))}${upperFirst(kind.version)}${scope}${kind.kind}`
}
