import type { Platform } from '../../kernel/descriptors/platform.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'

/** The prefix of references to schemas of the same document. */
export const refPrefix = '#/components/schemas/'

/** The names of shared schemas in a document, and the operations that every kind has. */
export interface MetaSchemaNames {
  readonly objectMeta: string
  readonly listMeta: string
  readonly status: string
  readonly deleteOptions: string
  readonly scale: string | undefined
  readonly actions: ActionTemplates
}

/** What all operations of an action (`list`, `patch`, ...) have in common. The generated documents say it; it is not repeated here. */
export type ActionTemplates = Readonly<Record<string, ActionTemplate>>

/** The parameters and request body of an action. */
export interface ActionTemplate {
  readonly parameters: Json
  /** The request body by media type. */
  readonly content: JsonObject
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
    status: `${meta}.Status`,
    deleteOptions: `${meta}.DeleteOptions`,
    scale: Object.hasOwn(all, scale) ? scale : undefined,
  }
  const roots = Object.values(names).filter((name) => name !== undefined)
  return {
    names: { ...names, actions: actionTemplatesIn(paths, extension) },
    schemas: reachable(all, roots),
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
 * The parameters and body of the first operation of each action. The first will do: parameters
 * depend on the action and not on the kind. Operations without the action key are skipped.
 */
function actionTemplatesIn(paths: JsonObject, prefix: string): ActionTemplates {
  const found: Record<string, ActionTemplate> = {}
  const operations = Object.values(paths).flatMap((path) =>
    Object.values(isObject(path) ? path : {}).filter(isObject),
  )
  for (const operation of operations) {
    const action = operation[`x-${prefix}-action`]
    if (typeof action !== 'string' || Object.hasOwn(found, action)) continue
    const { parameters = [], requestBody } = operation
    const content = isObject(requestBody) ? requestBody.content : {}
    found[action] = { parameters, content: isObject(content) ? content : {} }
  }
  return found
}
