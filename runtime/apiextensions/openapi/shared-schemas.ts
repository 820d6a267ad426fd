import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { Parameter } from '../../kernel/openapi/path-context.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'

/** The prefix of references to schemas of the same document. */
export const refPrefix = '#/components/schemas/'

/** The names of shared schemas in a document, and the parameters that operations of every kind have. */
export interface MetaSchemaNames {
  readonly objectMeta: string
  readonly listMeta: string
  readonly scale: string | undefined
  readonly parameters: Readonly<Record<string, readonly Parameter[]>>
}

/** The schemas of a generated document that the schemas of custom kinds refer to. */
export interface SharedSchemas {
  readonly names: MetaSchemaNames
  readonly schemas: JsonObject
}

/**
 * Finds the shared schemas in the smallest generated document that has all of them. Which one that
 * is does not matter: shared schemas are the same in all. Without a document with Scale the
 * smallest of all is taken, and `scale` is undefined.
 */
export function findSharedSchemas(
  documents: Readonly<Record<string, string>>,
  { schemaPackage, extension }: Platform,
): SharedSchemas {
  const texts = Object.values(documents).sort((a, b) => a.length - b.length)
  const scale = `${schemaPackage}.api.autoscaling.v1.Scale`
  const text = texts.find((one) => one.includes(`"${scale}":`)) ?? texts[0] ?? '{}'
  const { components, paths = {} } = JSON.parse(text) as {
    components?: { schemas?: JsonObject }
    paths?: JsonObject
  }
  const all = components?.schemas ?? {}
  const meta = `${schemaPackage}.apimachinery.pkg.apis.meta.v1`
  const names = {
    objectMeta: `${meta}.ObjectMeta`,
    listMeta: `${meta}.ListMeta`,
    scale: Object.hasOwn(all, scale) ? scale : undefined,
  }
  const ofOperations = ['APIResourceList', 'DeleteOptions', 'Patch', 'Status']
  const roots = [...Object.values(names), ...ofOperations.map((name) => `${meta}.${name}`)]
  return {
    names: { ...names, parameters: parametersIn(paths, extension) },
    schemas: reachable(
      all,
      roots.filter((name) => name !== undefined),
    ),
  }
}

/**
 * The named schemas, and those that they refer to. Names that the document does not have are left
 * out. Schemas may refer to each other in circles; each is visited once.
 */
function reachable(all: JsonObject, names: readonly string[]): JsonObject {
  const found: Record<string, Json> = {}
  const queue = [...names]
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const schema = Object.hasOwn(all, name) ? all[name] : undefined
    if (schema === undefined || Object.hasOwn(found, name)) continue
    found[name] = schema
    queue.push(...refsIn(schema))
  }
  return found
}

function refsIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return (value as Json[]).flatMap(refsIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([keyword, inner]) => {
    if (keyword === '$ref' && typeof inner === 'string') return [inner.slice(refPrefix.length)]
    return inner === undefined ? [] : refsIn(inner)
  })
}

/**
 * The query parameters of the first operation of each action. The first will do: parameters depend on the action and not on
 * the kind. Operations without the action key are skipped.
 */
function parametersIn(paths: JsonObject, prefix: string): MetaSchemaNames['parameters'] {
  const found: Record<string, readonly Parameter[]> = {}
  for (const item of Object.values(paths).filter(isObject)) {
    for (const operation of Object.values(item).filter(isObject)) {
      const action = operation[`x-${prefix}-action`]
      if (typeof action !== 'string' || Object.hasOwn(found, action)) continue
      found[action] = [...queryParameters(operation), ...queryParameters(item)]
    }
  }
  return found
}

function queryParameters({ parameters }: JsonObject): readonly Parameter[] {
  const all = Array.isArray(parameters) ? (parameters as Json[]).filter(isObject) : []
  return all
    .filter((one) => one.in === 'query' && one.name !== 'pretty')
    .map(({ name, description, schema }) => {
      const { type } = schema as JsonObject
      return { name, description, type } as unknown as Parameter
    })
}
