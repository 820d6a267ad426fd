import { resourceName } from '../kernel/kind.ts'
import { StatusError } from '../kernel/status.ts'
import type { PluginFactory } from './plugin.ts'
import { resourceAt } from './world.ts'

/** Whatever is written in a namespace, the namespace is there. */
export const namespaceExists: PluginFactory = (world) => {
  const namespaces = resourceAt(world, 'api/v1/namespaces')
  return {
    handles: ({ resource }) => namespaces !== undefined && resource.scope === 'Namespaced',
    async validate({ namespace = '' }) {
      if (namespaces === undefined || (await world.lister.find(namespaces, namespace))) return
      throw new StatusError('NotFound', `${resourceName(namespaces)} "${namespace}" not found`, {
        details: { name: namespace, kind: namespaces.plural },
      })
    },
  }
}
