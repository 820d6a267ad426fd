import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { StatusError } from '../../kernel/errors/status-error.ts'
import { type Attributes, isResource } from '../chain/attributes.ts'
import { forbidden, notFound } from '../chain/errors.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { servedKind, withStoredObject } from '../chain/plugin-context.ts'

/**
 * NamespaceLifecycle rejects new objects in a namespace that does not exist or is terminating, and the deletion of the system's
 * namespaces (supplement ). Reviews, which are not stored, pass whether the namespace exists or not.
 */
export const namespaceLifecycle: PluginFactory = (context) => {
  const namespaces = servedKind(context, 'api/v1/namespaces')
  const { prefix } = context.scheme.platform
  const undeletable = ['default', `${prefix}-system`, `${prefix}-public`]
  return {
    handles: (request) =>
      namespaces !== undefined &&
      (request.operation === 'DELETE'
        ? isResource(request, '', 'namespaces')
        : request.operation === 'CREATE' && isStoredInNamespace(request.resource)),
    mutate(attributes) {
      const { operation, namespace, name = '' } = attributes
      if (operation === 'DELETE' && undeletable.includes(name)) {
        throw forbidden(attributes, 'this namespace may not be deleted')
      }
      if (operation === 'DELETE' || namespaces === undefined || namespace === undefined) {
        return undefined
      }
      return withStoredObject(context, namespaces, { name: namespace }, (found) => {
        if (found === undefined) throw notFound(namespaces, namespace)
        const isTerminating = found.object().metadata.deletionTimestamp !== undefined
        if (isTerminating) throw terminatingError(attributes, namespace)
        return undefined
      })
    },
  }
}

/** False for cluster-scoped kinds, and for reviews, which are answered and not stored. */
function isStoredInNamespace({ scope, review }: AnyKind): boolean {
  return scope === 'Namespaced' && review === undefined
}

function terminatingError(attributes: Attributes, namespace: string): StatusError {
  const reason = `unable to create new content in namespace ${namespace} because it is being terminated`
  return forbidden(attributes, reason, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ])
}
