import type { PluginFactory } from './plugin.ts'
import { notFound } from './refusal.ts'
import { resourceAt } from './world.ts'

/** Whatever is written in a namespace, the namespace is there. */
export const namespaceExists: PluginFactory = (world) => {
  const namespaces = resourceAt(world, 'api/v1/namespaces')
  return {
    handles: ({ resource }) => namespaces !== undefined && resource.scope === 'Namespaced',
    async validate({ namespace = '' }) {
      if (namespaces === undefined || (await world.lister.find(namespaces, namespace))) return
      throw notFound(namespaces, namespace)
    },
  }
}
