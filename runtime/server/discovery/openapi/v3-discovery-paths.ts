/** Schema documents of the paths that are no resources: discovery and version. Each is small and made from its path. */
import type { Platform } from '../../../kernel/descriptors/platform.ts'
import { documentHead, securitySchemes } from '../../../kernel/openapi/document.ts'
import { camelCase, groupWord, refTo } from '../../../kernel/openapi/operations.ts'

/** The component schemas that such documents refer to, by name. */
type Schemas = Readonly<Record<string, object>>

/** The document of one such path, as JSON; without the schema of what it is answered with, any object will do. */
export function discoveryPathDocument(platform: Platform, key: string, schemas: Schemas): string {
  const { tag, id, description, answer } = factsOf(platform, key)
  const name = `${platform.schemaPackage}.apimachinery.pkg.${answer}`
  const schema = Object.hasOwn(schemas, name) ? refTo(name) : { type: 'object' }
  const binary = `application/vnd.${platform.vendor}.protobuf`
  const media =
    key === 'version' ? ['application/json'] : ['application/json', 'application/yaml', binary]
  const content = Object.fromEntries(media.map((type) => [type, { schema }]))
  const responses = { 200: { description: 'OK', content }, 401: { description: 'Unauthorized' } }
  const get = { tags: [tag], description, operationId: id, responses }
  return JSON.stringify({
    ...documentHead(platform),
    paths: { [`/${key}/`]: { get } },
    components: { schemas: reachable(name, schemas), securitySchemes },
  })
}

/** What public clients read of such a path. */
interface PathFacts {
  readonly tag: string
  readonly id: string
  readonly description: string
  /** The type that it is answered with. */
  readonly answer: string
}

function factsOf(platform: Platform, key: string): PathFacts {
  const meta = 'apis.meta.v1'
  switch (key) {
    case 'version':
      return {
        tag: key,
        id: 'getCodeVersion',
        description: 'Says which release this is.',
        answer: 'version.Info',
      }
    case 'api':
      return {
        tag: 'core',
        id: 'getCoreAPIVersions',
        description: 'Lists the versions of the core group.',
        answer: `${meta}.APIVersions`,
      }
    case 'apis':
      return {
        tag: key,
        id: 'getAPIVersions',
        description: 'Lists the groups.',
        answer: `${meta}.APIGroupList`,
      }
    default: {
      const word = groupWord(key.replace(/^apis\//, ''), { platform })
      return {
        tag: word,
        id: `get${camelCase(`.${word}`)}APIGroup`,
        description: 'Lists the versions of the group.',
        answer: `${meta}.APIGroup`,
      }
    }
  }
}

/** A schema and those that it leads to. */
function reachable(name: string, schemas: Schemas): Schemas {
  const found = new Set<string>()
  const queue = [name]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (found.has(next) || !Object.hasOwn(schemas, next)) continue
    found.add(next)
    const text = JSON.stringify(schemas[next])
    for (const [, ref = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) queue.push(ref)
  }
  return Object.fromEntries([...found].sort().map((one) => [one, schemas[one] as object]))
}

/** The keys of these documents, for groups with something served. */
export function discoveryPathKeys(groups: readonly string[]): readonly string[] {
  const named = groups.filter((group) => group !== '').map((group) => `apis/${group}`)
  return ['api', 'apis', 'version', ...named]
}
