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
import { fieldsRefusal, type Refusal } from './declared-fields.ts'
import type { KeyController } from './key-controller.ts'
import { fieldsOfKinds, wholeKinds } from './writing.ts'

const writing: ReadonlySet<PropertyKey> = new Set<keyof Resource<ApiObject>>([
  ...(['create', 'update', 'updateStatus', 'mergePatch', 'jsonPatch', 'apply'] as const),
  ...(['delete', 'deleteCollection', 'createSubresource'] as const),
])

/**
 * The client of a controller that declares what it reads or writes: another kind, or another field, is refused before a request is sent,
 * as the server would refuse the kind by the rights that are derived from the declaration. Without a declaration it is the client itself.
 */
export function declaredClient(client: Client, controller: KeyController): Client {
  const { reads, writes, scales, watches = [], name } = controller
  if (reads === undefined && writes === undefined && scales === undefined) return client
  const written = namesOf(wholeKinds(writes))
  const fields = new Map(fieldsOfKinds(writes).map((one) => [resourceName(one.writes), one]))
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
    const declared = fields.get(resourceName(kind))
    if (declared !== undefined) return checked(resource, fieldsRefusal(name, kind, declared))
    if (written.has(resourceName(kind))) return resource
    if (!read.has(resourceName(kind))) throw refused(name, kind, 'uses', '`reads` or `writes`')
    return checked(resource, (verb) => refused(name, kind, `(${verb}) writes`, '`writes`'))
  }

  function checked<T extends ApiObject>(resource: Resource<T>, refusal: Refusal): Resource<T> {
    return new Proxy(resource, {
      get(target, verb) {
        if (verb === 'scale') return (key: string | Key) => scaleOf(target, key)
        if (verb === 'in') return (namespace: string) => checked(target.in(namespace), refusal)
        const value: unknown = Reflect.get(target, verb, target)
        if (typeof value !== 'function') return value
        if (!writing.has(verb)) return value.bind(target)
        return async (...given: readonly unknown[]) => {
          const error = refusal(String(verb), given)
          if (error !== undefined) throw error
          return value.apply(target, given)
        }
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
