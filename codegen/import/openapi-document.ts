/** OpenAPI v3 documents of servers as definitions: of kinds that no definition stands for, such as those of an aggregated server. */
import { isObject } from '../../runtime/kernel/values/json.ts'
import { inlinedSchema } from './inlined-schema.ts'
import { listOf, type Untyped } from './structural-schema.ts'

/** A group, a version and a kind, as the documents of servers mark schemas and operations with them. */
interface KindName {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** How a kind is served, as paths say it. */
interface Served extends KindName {
  readonly plural: string
  readonly namespaced: boolean
}

/** True for an OpenAPI v3 document with schemas. */
export function isOpenApiDocument({ openapi, components }: Untyped): boolean {
  return (
    typeof openapi === 'string' &&
    openapi.startsWith('3.') &&
    isObject(components) &&
    isObject(components.schemas)
  )
}

/** A definition for each kind that a document has both a collection and a schema of. */
export function definitionsOfDocument(document: Untyped): readonly Untyped[] {
  const paths = isObject(document.paths) ? document.paths : {}
  const components = isObject(document.components) ? document.components : {}
  const schemas = isObject(components.schemas) ? components.schemas : {}
  return servedKinds(paths).flatMap((served) => {
    const schema = Object.values(schemas).find((one) => isObject(one) && isOf(one, served))
    return isObject(schema) ? [definitionOf(served, schema, schemas, paths)] : []
  })
}

const collection = /^\/apis\/([^/{}]+)\/([^/{}]+)\/(namespaces\/\{namespace\}\/)?([^/{}]+)$/

/** The kinds that can be listed; of those with namespaces the path in one of them counts. */
function servedKinds(paths: Untyped): readonly Served[] {
  const found = Object.entries(paths).flatMap(([path, item]): readonly Served[] => {
    const [, group = '', version = '', namespace, plural = ''] = collection.exec(path) ?? []
    const list = isObject(item) && isObject(item.get) ? item.get : {}
    const { kind } = kindNamesOf(list)[0] ?? {}
    if (plural === '' || kind === undefined) return []
    return [{ group, version, kind, plural, namespaced: namespace !== undefined }]
  })
  return found.filter(
    (one) =>
      one.namespaced ||
      !found.some(
        (other) =>
          other.namespaced &&
          other.plural === one.plural &&
          other.group === one.group &&
          other.version === one.version,
      ),
  )
}

function definitionOf(served: Served, schema: Untyped, schemas: Untyped, paths: Untyped): Untyped {
  const { group, version, kind, plural, namespaced } = served
  const place = namespaced ? 'namespaces/{namespace}/' : ''
  const item = `/apis/${group}/${version}/${place}${plural}/{name}`
  const { properties, ...root } = schema
  const { metadata: _, ...own } = isObject(properties) ? properties : {}
  const openAPIV3Schema = inlinedSchema({ ...root, properties: own }, schemas)
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema },
          ...(`${item}/status` in paths && { subresources: { status: {} } }),
        },
      ],
    },
  }
}

function isOf(schema: Untyped, { group, version, kind }: KindName): boolean {
  return kindNamesOf(schema).some(
    (name) => name.group === group && name.version === version && name.kind === kind,
  )
}

/** An operation has one name, a schema a list of them. */
function kindNamesOf(node: Untyped): readonly KindName[] {
  const marked = node['x-kubernetes-group-version-kind']
  return (Array.isArray(marked) ? listOf(marked) : [marked]).flatMap((name) => {
    const { group, version, kind } = isObject(name) ? name : {}
    return typeof group === 'string' && typeof version === 'string' && typeof kind === 'string'
      ? [{ group, version, kind }]
      : []
  })
}
