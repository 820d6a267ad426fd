import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { StatusError } from '../../kernel/errors/status-error.ts'
import { type Attributes, isResource } from '../chain/attributes.ts'
import { forbidden, notFound } from '../chain/errors.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { servedKind, withStoredObject } from '../chain/plugin-context.ts'

/**
 * New objects go into namespaces that are there and not on their way out, and the namespaces of the system stay
 * (supplement ). What is only asked and answered tells nobody whether a namespace is there.
 */
export const namespaceLifecycle: PluginFactory = (world) => {
  const namespaces = servedKind(world, 'api/v1/namespaces')
  const { prefix } = world.scheme.platform
  const kept = ['default', `${prefix}-system`, `${prefix}-public`]
  return {
    handles: (place) =>
      namespaces !== undefined &&
      (place.operation === 'DELETE'
        ? isResource(place, '', 'namespaces')
        : place.operation === 'CREATE' && isStoredInNamespace(place.resource)),
    mutate(subject) {
      const { operation, namespace, name = '' } = subject
      if (namespaces === undefined) return undefined
      if (operation === 'DELETE') {
        if (kept.includes(name)) throw forbidden(subject, 'this namespace may not be deleted')
        return undefined
      }
      if (namespace === undefined) return undefined
      return withStoredObject(world, namespaces, namespace, undefined, (found) => {
        if (found === undefined) throw notFound(namespaces, namespace)
        if (found.object().metadata.deletionTimestamp !== undefined)
          throw terminatingError(subject, namespace)
        return undefined
      })
    },
  }
}

/** True for a kind whose objects stay in a namespace. */
function isStoredInNamespace({ scope, review: answers }: AnyKind): boolean {
  return scope === 'Namespaced' && answers === undefined
}

function terminatingError(subject: Attributes, namespace: string): StatusError {
  return forbidden(
    subject,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  )
}
