import {
  type Client,
  type Key,
  type Resource,
  type ScaleVerbs,
  scaleVerbs,
} from '../../client/client.ts'
import { type AnyKind, type Kind, resourceName } from '../../kernel/descriptors/kind.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { KeyController } from './key-controller.ts'

const writing: ReadonlySet<PropertyKey> = new Set<keyof Resource<ApiObject>>([
  ...(['create', 'update', 'updateStatus', 'mergePatch', 'jsonPatch', 'apply'] as const),
  ...(['delete', 'deleteCollection', 'createSubresource'] as const),
])

/**
 * The client of a controller that declares what it reads or writes: another kind is refused before a request is sent, as the
 * server would refuse it by the rights that are derived from the declaration. Without a declaration it is the client itself.
 */
export function declaredClient(client: Client, controller: KeyController): Client {
  const { reads, writes, scales, watches = [], name } = controller
  if (reads === undefined && writes === undefined && scales === undefined) return client
  const written = namesOf(writes ?? [])
  const scaled = namesOf(scales ?? [])
  const read = namesOf([...(reads ?? []), ...(scales ?? []), ...watches.map(({ kind }) => kind)])
  return guarded(client)

  function guarded(one: Client): Client {
    return {
      ...one,
      resource: (kind: AnyKind) => guardedResource(one.resource(kind)) as never,
      dynamic: async (...given) => guardedResource(await one.dynamic(...given)) as never,
      scoped: (scope) => guarded(one.scoped(scope)),
    }
  }

  function guardedResource<T extends ApiObject>(resource: Resource<T>): Resource<T> {
    const { kind } = resource
    if (written.has(resourceName(kind))) return resource
    if (!read.has(resourceName(kind))) throw refused(name, kind, 'uses', '`reads` or `writes`')
    return readOnly(resource)
  }

  function readOnly<T extends ApiObject>(resource: Resource<T>): Resource<T> {
    return new Proxy(resource, {
      get(target, verb) {
        if (writing.has(verb)) {
          return async () => {
            throw refused(name, target.kind, `(${String(verb)}) writes`, '`writes`')
          }
        }
        if (verb === 'scale') return (key: string | Key) => scaleOf(target, key)
        if (verb === 'in') return (namespace: string) => readOnly(target.in(namespace))
        const value: unknown = Reflect.get(target, verb, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  function scaleOf<T extends ApiObject>(target: Resource<T>, key: string | Key): ScaleVerbs {
    const verbs = scaleVerbs(target, key)
    if (scaled.has(resourceName(target.kind))) return verbs
    const refuse = async (): Promise<never> => {
      throw refused(name, target.kind, '(scale) writes', '`scales`')
    }
    return { get: verbs.get, update: refuse, patch: refuse }
  }
}

function namesOf(kinds: readonly AnyKind[]): ReadonlySet<string> {
  return new Set(kinds.map(resourceName))
}

function refused(controller: string, kind: Kind, does: string, where: string): StatusError {
  const what = `${kind.kind} (${resourceName(kind)})`
  return new StatusError(
    'Forbidden',
    `controller ${controller} ${does} ${what} without declaring it: name the kind in ${where}`,
  )
}
