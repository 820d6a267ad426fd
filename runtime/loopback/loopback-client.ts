import {
  type Client,
  findKind,
  type KindReference,
  type Scope,
  unknownKind,
  type Write,
} from '../client/client.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import type { Registry } from '../registry/registry.ts'
import { createLoopbackResource } from './loopback-resource.ts'

/** Whose registry it is, and who writes. */
export interface LoopbackClientOptions {
  readonly registry: Registry
  /** The field manager of what is written. */
  readonly manager: string
  /** Where names without a namespace are looked up. Default `default`. */
  readonly namespace?: string
}

/**
 * A client of a registry in this process. Closing it releases nothing: the registry is its owner's
 * to close. A scoped client keeps the scopes that it was made from: it ends with any of their
 * signals, and each of them is told of its writes, the outermost first.
 */
export function createLoopbackClient(options: LoopbackClientOptions): Client {
  const { registry, manager, namespace = 'default' } = options
  return scoped([])

  function served(): readonly AnyKind[] {
    return Object.values(registry.scheme.routes)
  }

  function scoped(scopes: readonly Scope[]): Client {
    const signals = scopes.flatMap(({ signal }) => signal ?? [])
    const onWrite = (write: Write): void => {
      for (const scope of scopes) scope.onWrite?.(write)
    }
    const beforeWrite = (): void => {
      for (const scope of scopes) scope.beforeWrite?.()
    }
    const resource = <T extends ApiObject>(kind: Parameters<Client['resource']>[0]) =>
      createLoopbackResource<T>({
        ...{ registry, kind, manager, signals, onWrite, beforeWrite },
        defaultNamespace: namespace,
      })
    return {
      ...{ manager, namespace },
      resource,
      dynamic: async (reference: KindReference) => {
        const kind = findKind(served(), reference, registry.scheme.platform)
        if (kind === undefined) throw unknownKind(served(), reference, [])
        return resource(kind)
      },
      kinds: async () => served(),
      discover: async () => ({ kinds: served(), unknown: [] as readonly string[] }),
      scoped: (scope) => scoped([...scopes, scope]),
      close: async () => {},
    } as Client
  }
}
