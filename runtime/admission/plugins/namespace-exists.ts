import { notFound } from '../chain/errors.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { servedKind } from '../chain/plugin-context.ts'

/**
 * NamespaceExists rejects requests in a namespace that does not exist. NamespaceLifecycle, which is
 * on by default, does that for creations; this one does it for updates, deletions and connections
 * too.
 */
export const namespaceExists: PluginFactory = (context) => {
  const namespaces = servedKind(context, 'api/v1/namespaces')
  return {
    handles: ({ resource }) => namespaces !== undefined && resource.scope === 'Namespaced',
    async validate({ namespace = '' }) {
      if (namespaces === undefined) return
      if (await context.lister.find(namespaces, namespace)) return
      throw notFound(namespaces, namespace)
    },
  }
}
