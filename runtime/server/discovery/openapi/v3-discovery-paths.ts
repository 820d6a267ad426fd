/** Schema documents of the paths that are no resources: discovery and version. Each is small and made from its path. */
import type { Platform } from '../../../kernel/descriptors/platform.ts'

/** The document of one such path, as JSON. */
export function discoveryPathDocument({ brand, release }: Platform, key: string): string {
  const path = key === 'version' ? '/version' : `/${key}/`
  const answer = {
    description: 'OK',
    content: { 'application/json': { schema: { type: 'object' } } },
  }
  const get = {
    tags: [key.replace(/^apis\//, '')],
    description: descriptions[key] ?? 'names the versions of a group',
    operationId: `get${key.replace(/(?:^|[^A-Za-z0-9])([A-Za-z0-9])/g, (_, first: string) => first.toUpperCase())}`,
    responses: { 200: answer },
  }
  return JSON.stringify({
    openapi: '3.0.0',
    info: {
      title: `${brand.slice(0, 1).toUpperCase()}${brand.slice(1)}`,
      version: `v${release}`,
    },
    paths: { [path]: { get } },
  })
}

/** What public clients read of these paths. */
const descriptions: Readonly<Record<string, string>> = {
  api: 'names the versions of the core group',
  apis: 'names the groups',
  version: 'says which release this is',
}

/** The keys of these documents, for groups with something served. */
export function discoveryPathKeys(groups: readonly string[]): readonly string[] {
  const named = groups.filter((group) => group !== '').map((group) => `apis/${group}`)
  return ['api', 'apis', 'version', ...named]
}
