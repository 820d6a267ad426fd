/** The paths of a kind in a published OpenAPI document. */

import { type AnyKind, resourceName, type Subresource } from '../../kernel/descriptors/kind.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { MetaSchemaNames } from './published-schema.ts'

/** What the paths of a kind refer to. */
export interface PathNames {
  readonly prefixes: readonly string[]
  readonly meta: MetaSchemaNames
  readonly object: string
  readonly list: string
}

/** What operations on any object have in common, by their action: it is said where kinds of schema files have them. */
export type ActionTemplates = Readonly<Record<string, ActionTemplate>>

export interface ActionTemplate {
  readonly parameters: Json
  /** What is sent, by its media type. */
  readonly content: JsonObject
}

/** The first operation of each action in the paths of a document. */
export function actionTemplatesIn(paths: JsonObject, prefix: string): ActionTemplates {
  const found: Record<string, ActionTemplate> = {}
  for (const path of Object.values(paths)) {
    for (const operation of Object.values(isObject(path) ? path : {})) {
      const action = isObject(operation) ? operation[`x-${prefix}-action`] : undefined
      if (!isObject(operation) || typeof action !== 'string') continue
      if (Object.hasOwn(found, action)) continue
      const { parameters = [], requestBody } = operation
      const content = isObject(requestBody) ? requestBody.content : {}
      found[action] = { parameters, content: isObject(content) ? content : {} }
    }
  }
  return found
}

/** The one patch that needs to know more of a type than a definition says. */
const strategicMergePatch = 'application/strategic-merge-patch+json'

/** The paths of a kind and of its subresources. */
export function openApiPaths(kind: AnyKind, names: PathNames): JsonObject {
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
  readonly #names: PathNames

  constructor(kind: AnyKind, names: PathNames) {
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
      post: this.#operation('post', 'create', object, { body: object }),
      delete: this.#operation('deletecollection', 'deleteCollection', meta.status),
      ...this.#inPath('namespace'),
    }
  }

  item(): JsonObject {
    const { object, meta } = this.#names
    const remove = this.#operation('delete', 'delete', meta.status, {
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
      get: this.#operation('get', 'read', body, { suffix }),
      put: this.#operation('put', 'replace', body, { body, suffix }),
      patch: this.#operation('patch', 'patch', body, { patch: true, suffix }),
    }
  }

  #list(suffix: string): JsonObject {
    return this.#operation('list', 'list', this.#names.list, { suffix })
  }

  #operation(
    action: string,
    word: string,
    answer: string,
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
    const { parameters = [], content = {} } = this.#names.meta.actions[action] ?? {}
    const taken = patch
      ? { content: without(content, strategicMergePatch) }
      : body && { content: { 'application/json': { schema: ref(body) }, ...yaml(body) } }
    return {
      tags: [`${camel(group)}_${version}`],
      description: `${word} ${resourceName(this.#kind)}`,
      operationId: `${word}${camel(`.${group}`)}${camel(`.${version}`)}${place ? 'Namespaced' : ''}${kind}${suffix}`,
      parameters,
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

function without(content: JsonObject, type: string): JsonObject {
  const { [type]: _, ...rest } = content
  return rest
}

function yaml(name: string): JsonObject {
  return { 'application/yaml': { schema: ref(name) } }
}

function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

function camel(text: string): string {
  return text.replace(/[^A-Za-z0-9]+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
