import { type AnyKind, resourceName, type Subresource } from '../../kernel/descriptors/kind.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import { type MetaSchemaNames, refPrefix } from './shared-schemas.ts'

/** The names of the schemas that the paths of a kind refer to. */
export interface PathNames {
  /** Extension keys are written once for each of these prefixes. */
  readonly prefixes: readonly string[]
  readonly meta: MetaSchemaNames
  readonly object: string
  readonly list: string
}

/** Custom kinds have no strategic merge patch. */
const strategicMergePatch = 'application/strategic-merge-patch+json'

/** The OpenAPI paths of a kind and of its subresources. */
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

/** Creates the operations of one kind. */
class Operations {
  readonly #kind: AnyKind
  readonly #names: PathNames

  constructor(kind: AnyKind, names: PathNames) {
    this.#kind = kind
    this.#names = names
  }

  /** Lists across namespaces. */
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

  /** One operation. `suffix` is that of its id: `Status`, `Scale`, `ForAllNamespaces`. */
  #operation(
    action: string,
    verb: string,
    response: string,
    { body, patch, suffix = '' }: OperationOptions = {},
  ): JsonObject {
    const { group, version, kind } = this.#kind
    const inNamespace = this.#kind.scope === 'Namespaced' && suffix !== 'ForAllNamespaces'
    const groupVersion = `${camelCase(`.${group}`)}${camelCase(`.${version}`)}`
    const { parameters = [] } = this.#names.meta.actions[action] ?? {}
    const content = patch ? this.#patchContent(action) : body && contentOf(body)
    return {
      tags: [`${camelCase(group)}_${version}`],
      description: `${verb} ${resourceName(this.#kind)}`,
      operationId: `${verb}${groupVersion}${inNamespace ? 'Namespaced' : ''}${kind}${suffix}`,
      parameters,
      ...(content && { requestBody: { required: patch === true, content } }),
      responses: { 200: { description: 'OK', content: contentOf(response) } },
      ...this.#extensions(action),
    } as JsonObject
  }

  #patchContent(action: string): JsonObject {
    const { content = {} } = this.#names.meta.actions[action] ?? {}
    const { [strategicMergePatch]: _, ...rest } = content
    return rest
  }

  #extensions(action: string): JsonObject {
    const { group, version, kind } = this.#kind
    const entries = this.#names.prefixes.flatMap((prefix) => [
      [`x-${prefix}-action`, action],
      [`x-${prefix}-group-version-kind`, { group, version, kind }],
    ])
    return Object.fromEntries(entries) as JsonObject
  }

  /** The parameters in the path; `namespace` only for namespaced kinds. */
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

/** The request body of an operation, and the suffix of its id. */
interface OperationOptions {
  readonly body?: string
  readonly patch?: true
  readonly suffix?: string
}

function contentOf(schema: string): JsonObject {
  const body = { schema: { $ref: `${refPrefix}${schema}` } }
  return { 'application/json': body, 'application/yaml': body }
}

function camelCase(text: string): string {
  return text.replace(/[^A-Za-z0-9]+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
