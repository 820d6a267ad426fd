/** The paths of a kind in a published OpenAPI document. */
import type { JsonObject } from '../kernel/json.ts'
import { type AnyKind, resourceName, type Subresource } from '../kernel/kind.ts'
import { apiVersionOf } from '../kernel/object.ts'
import type { MetaNames } from './published.ts'

/** What the paths of a kind refer to. */
export interface OperationNames {
  readonly prefixes: readonly string[]
  readonly meta: MetaNames
  readonly object: string
  readonly list: string
}

type Parameter = readonly [name: string, type: 'string' | 'boolean' | 'integer', about: string]

const pretty: Parameter = ['pretty', 'string', 'True asks for output that is laid out for people.']
const writing: readonly Parameter[] = [
  ['dryRun', 'string', 'All goes through everything but does not store.'],
  ['fieldManager', 'string', 'Who writes, at most 128 printable characters.'],
  ['fieldValidation', 'string', 'Ignore, Warn or Strict: what unknown and repeated fields mean.'],
]
const force: Parameter = ['force', 'boolean', 'An apply takes fields from managers that disagree.']
const listing: readonly Parameter[] = [
  ['allowWatchBookmarks', 'boolean', 'A watch may send events that carry only a version.'],
  ['continue', 'string', 'Where the last chunk ended.'],
  ['fieldSelector', 'string', 'Restricts the objects by their fields.'],
  ['labelSelector', 'string', 'Restricts the objects by their labels.'],
  ['limit', 'integer', 'How many objects a chunk holds at most.'],
  ['resourceVersion', 'string', 'The version that is read, or that a watch begins after.'],
  ['resourceVersionMatch', 'string', 'Exact or NotOlderThan: how the version is meant.'],
  ['sendInitialEvents', 'boolean', 'A watch begins with the objects that are there.'],
  ['timeoutSeconds', 'integer', 'How long the request may take.'],
  ['watch', 'boolean', 'Sends changes as they come.'],
]
const deleting: readonly Parameter[] = [
  ['dryRun', 'string', 'All goes through everything but does not delete.'],
  ['gracePeriodSeconds', 'integer', 'How long the object may take to end.'],
  ['orphanDependents', 'boolean', 'The older form of the propagation policy.'],
  ['propagationPolicy', 'string', 'Orphan, Background or Foreground.'],
]

const patchTypes = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
]

/** The paths of a kind and of its subresources. */
export function pathsOf(kind: AnyKind, names: OperationNames): JsonObject {
  const root = `/apis/${apiVersionOf(kind)}`
  const namespaced = kind.scope === 'Namespaced'
  const collection = `${root}${namespaced ? '/namespaces/{namespace}' : ''}/${kind.plural}`
  const item = `${collection}/{name}`
  const operations = new Operations(kind, names)
  const subresources = kind.subresources.map((sub) => [
    `${item}/${sub.name}`,
    operations.subresource(sub),
  ])
  return Object.fromEntries([
    ...(namespaced ? [[`${root}/${kind.plural}`, operations.everywhere()]] : []),
    [collection, operations.collection()],
    [item, operations.item()],
    ...subresources,
  ]) as JsonObject
}

class Operations {
  readonly #kind: AnyKind
  readonly #names: OperationNames

  constructor(kind: AnyKind, names: OperationNames) {
    this.#kind = kind
    this.#names = names
  }

  everywhere(): JsonObject {
    return { get: this.#list('ForAllNamespaces') }
  }

  collection(): JsonObject {
    const { object, meta } = this.#names
    return {
      get: this.#list(''),
      post: this.#operation('post', 'create', object, [pretty, ...writing], { body: object }),
      delete: this.#operation('deletecollection', 'deleteCollection', meta.status, [
        pretty,
        ...listing,
        ...deleting,
      ]),
      ...this.#inPath('namespace'),
    }
  }

  item(): JsonObject {
    const { object, meta } = this.#names
    const remove = this.#operation('delete', 'delete', meta.status, [pretty, ...deleting], {
      body: meta.deleteOptions,
    })
    return {
      ...this.#readAndWrite(object, ''),
      delete: remove,
      ...this.#inPath('namespace', 'name'),
    }
  }

  subresource({ name, scale }: Subresource): JsonObject {
    const { object, meta } = this.#names
    const body = scale === undefined ? object : (meta.scale ?? object)
    const suffix = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
    return { ...this.#readAndWrite(body, suffix), ...this.#inPath('namespace', 'name') }
  }

  #readAndWrite(body: string, suffix: string): JsonObject {
    return {
      get: this.#operation('get', 'read', body, [pretty], { suffix }),
      put: this.#operation('put', 'replace', body, [pretty, ...writing], { body, suffix }),
      patch: this.#operation('patch', 'patch', body, [pretty, ...writing, force], {
        patch: true,
        suffix,
      }),
    }
  }

  #list(suffix: string): JsonObject {
    return this.#operation('list', 'list', this.#names.list, [pretty, ...listing], { suffix })
  }

  #operation(
    action: string,
    word: string,
    answer: string,
    parameters: readonly Parameter[],
    {
      body,
      patch,
      suffix = '',
    }: { readonly body?: string; readonly patch?: true; readonly suffix?: string } = {},
  ): JsonObject {
    const { group, version, kind } = this.#kind
    const place = this.#kind.scope === 'Namespaced' && suffix !== 'ForAllNamespaces'
    const extensions = this.#names.prefixes.flatMap((prefix) => [
      [`x-${prefix}-action`, action],
      [`x-${prefix}-group-version-kind`, { group, version, kind }],
    ])
    const taken = patch
      ? { content: Object.fromEntries(patchTypes.map((type) => [type, { schema: patchSchema }])) }
      : body && { content: { 'application/json': { schema: ref(body) }, ...yaml(body) } }
    return {
      tags: [`${camel(group)}_${version}`],
      description: `${word} ${resourceName(this.#kind)}`,
      operationId: `${word}${camel(`.${group}`)}${camel(`.${version}`)}${place ? 'Namespaced' : ''}${kind}${suffix}`,
      parameters: parameters.map(([name, type, description]) => ({
        name,
        in: 'query',
        description,
        schema: { type },
      })),
      ...(taken && { requestBody: { required: patch === true, ...taken } }),
      responses: {
        200: {
          description: 'OK',
          content: { 'application/json': { schema: ref(answer) }, ...yaml(answer) },
        },
      },
      ...Object.fromEntries(extensions),
    } as JsonObject
  }

  #inPath(...names: readonly string[]): JsonObject {
    const used = names.filter((name) => name === 'name' || this.#kind.scope === 'Namespaced')
    if (used.length === 0) return {}
    return {
      parameters: used.map((name) => ({
        name,
        in: 'path',
        description: `The ${name} of the object.`,
        required: true,
        schema: { type: 'string' },
      })),
    }
  }
}

const patchSchema: JsonObject = { type: 'object' }

function yaml(name: string): JsonObject {
  return { 'application/yaml': { schema: ref(name) } }
}

function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

function camel(text: string): string {
  return text.replace(/[^A-Za-z0-9]+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
