import { notFound } from '../chain/errors.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { servedKind } from '../chain/plugin-context.ts'

/** Whatever is written in a namespace, the namespace is there. */
export const namespaceExists: PluginFactory = (world) => {
  const namespaces = servedKind(world, 'api/v1/namespaces')
  return {
    handles: ({ resource }) => namespaces !== undefined && resource.scope === 'Namespaced',
    async validate({ namespace = '' }) {
      if (namespaces === undefined || (await world.lister.find(namespaces, namespace))) return
      throw notFound(namespaces, namespace)
    },
  }
}
