import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { Registry, Target } from '../registry/registry.ts'

/**
 * A registry in which requests about one kind wait until `ready` settles: the objects that clients expect to find are made at
 * the first request for them. A watch does not wait, since what is made meanwhile are its first events. Other kinds pay one
 * comparison.
 */
export function lazyResource(
  registry: Registry,
  kind: AnyKind,
  ready: () => Promise<void> | undefined,
): Registry {
  const held = (target: Target) => (target.kind === kind ? ready() : undefined)
  const after = <T>(target: Target, ask: () => Promise<T>): Promise<T> =>
    held(target)?.then(ask) ?? ask()
  return {
    get scheme() {
      return registry.scheme
    },
    get revision() {
      return registry.revision
    },
    replaceScheme: (scheme) => registry.replaceScheme(scheme),
    get(target, options) {
      if (target.kind !== kind) return registry.get(target, options)
      return after(target, () => registry.get(target, options))
    },
    peek: (target) => (held(target) === undefined ? registry.peek(target) : undefined),
    list(target, options) {
      if (target.kind !== kind) return registry.list(target, options)
      return after(target, () => registry.list(target, options))
    },
    checkOptions: (...args) => registry.checkOptions(...args),
    count: (one) => registry.count(one),
    watch(target, ...args) {
      void held(target)
      return registry.watch(target, ...args)
    },
    create: (target, ...args) => after(target, () => registry.create(target, ...args)),
    update: (target, ...args) => after(target, () => registry.update(target, ...args)),
    patch: (target, ...args) => after(target, () => registry.patch(target, ...args)),
    act: (...args) => registry.act(...args),
    connect: (...args) => registry.connect(...args),
    delete: (target, ...args) => after(target, () => registry.delete(target, ...args)),
    deleteCollection: (target, ...args) =>
      after(target, () => registry.deleteCollection(target, ...args)),
    close: () => registry.close(),
  }
}
