import '../../tools/test/guard.ts'
import { scheme } from '../../generated/scheme.ts'
import { type Clock, systemClock } from '../../runtime/kernel/async/clock.ts'
import {
  type EnabledGates,
  enabledGatesOf,
} from '../../runtime/kernel/descriptors/enabled-gates.ts'
import {
  bootstrap,
  createRegistry,
  type RegistryOptions,
  type WriteOptions,
} from '../../runtime/registry/registry.ts'
import { withResourceVersion } from '../../runtime/serializer/serializer.ts'
import { openSqliteStore } from '../../runtime/store/store.ts'
import { createWatchCache } from '../../runtime/watch/watch.ts'
import { body, kindAt, type OpenRegistry, quiet } from './registry.ts'

/** A real registry with the given plugins; those that are on by default unless told otherwise. */
export async function openAdmitted(
  {
    authorizer,
    ...admission
  }: NonNullable<RegistryOptions['admission']> & Pick<RegistryOptions, 'authorizer'> = {},
  clock: Clock = systemClock,
  gates: EnabledGates = enabledGatesOf(scheme),
): Promise<OpenRegistry> {
  const log = await openSqliteStore({ filename: ':memory:', clock })
  const store = await createWatchCache(log, { clock, stampResourceVersion: withResourceVersion })
  const registry = createRegistry({
    ...{ store, scheme, clock, gates, admission },
    ...(authorizer && { authorizer }),
  })
  await bootstrap(registry)
  const close = async () => {
    registry.close()
    await store.close()
  }
  return { registry, store, close }
}

/** Creates an object of a collection path; gives it as it was stored, with what its sender was told. */
export async function make<T = Record<string, never>>(
  { registry }: OpenRegistry,
  path: string,
  value: { readonly metadata: object } & Readonly<Record<string, unknown>>,
  options: WriteOptions = quiet,
) {
  const kind = kindAt(path)
  const { namespace = 'default' } = value.metadata as { readonly namespace?: string }
  const target = kind.scope === 'Namespaced' ? { kind, namespace } : { kind }
  const written = await registry.create(target, body(value), options)
  return { object: written.item.object() as unknown as T, warnings: written.warnings }
}

/** Patches an object by merging. */
export async function change<T = Record<string, never>>(
  { registry }: OpenRegistry,
  path: string,
  name: string,
  value: unknown,
  more: { readonly namespace?: string; readonly subresource?: string } & Partial<WriteOptions> = {},
) {
  const kind = kindAt(path)
  const { namespace = 'default', subresource, ...options } = more
  const target = {
    kind,
    name,
    ...(kind.scope === 'Namespaced' && { namespace }),
    ...(subresource && { subresource }),
  }
  const written = await registry.patch(target, 'merge', body(value), { ...quiet, ...options })
  return { object: written.item.object() as unknown as T, warnings: written.warnings }
}

/** A pod that is valid as it stands. */
export function pod(name: string, spec: object = {}, metadata: object = {}) {
  const containers = [{ name: 'main', image: 'example/app:1' }]
  return { metadata: { name, ...metadata }, spec: { containers, ...spec } }
}
