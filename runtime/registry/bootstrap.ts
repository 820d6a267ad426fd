import type { AnyKind } from '../kernel/descriptors/kind.ts'
import { isStatus } from '../kernel/errors/status-error.ts'
import type { JsonObject } from '../kernel/values/json.ts'
import { namespaceKind } from './contract/context.ts'
import type { Registry } from './contract/contract.ts'

/** Creates the objects that every client may rely on, where they are missing: system namespaces and priority classes (O-01, O-06). */
export async function bootstrap(registry: Registry): Promise<void> {
  const { routes, platform } = registry.scheme
  const { prefix, api } = platform
  const names = ['default', `${prefix}-system`, `${prefix}-public`, `${prefix}-node-lease`]
  const namespaces = names.map((name) => ({ metadata: { name } }))
  const path = `apis/scheduling.${api}/v1/priorityclasses`
  const classes = Object.hasOwn(routes, path) ? routes[path] : undefined
  await Promise.all([
    ensure(registry, namespaceKind(registry.scheme), namespaces),
    ensure(registry, classes, priorities),
  ])
}

/** The priority classes of the system: pods of the cluster itself are preempted last. */
const priorities = [
  {
    metadata: { name: 'system-cluster-critical' },
    value: 2_000_000_000,
    description: 'For pods that the cluster needs, which may run on any of its nodes.',
    preemptionPolicy: 'PreemptLowerPriority',
  },
  {
    metadata: { name: 'system-node-critical' },
    value: 2_000_001_000,
    description: 'For pods that their node needs, which may run on no other.',
    preemptionPolicy: 'PreemptLowerPriority',
  },
]

type Bodies = readonly (JsonObject & { readonly metadata: JsonObject })[]

/**
 * Creates the objects that are missing. Two servers that start at the same time may race: the loser finds the object
 * there.
 */
async function ensure(registry: Registry, kind: AnyKind | undefined, bodies: Bodies) {
  if (kind === undefined) return
  const options = {
    dryRun: false,
    fieldValidation: 'Ignore',
    manager: `${registry.scheme.platform.prefix}-apiserver`,
  } as const
  await Promise.all(
    bodies.map(async (value) => {
      if (await exists(registry, kind, String(value.metadata.name))) return
      try {
        await registry.create({ kind }, { value, duplicates: [] }, options)
      } catch (error) {
        if (!isStatus(error, 'AlreadyExists')) throw error
      }
    }),
  )
}

/** Read before it is created: a webhook that does not answer must not fail the start over an object that exists. */
async function exists(registry: Registry, kind: AnyKind, name: string): Promise<boolean> {
  try {
    await registry.get({ kind, name }, {})
    return true
  } catch (error) {
    if (isStatus(error, 'NotFound')) return false
    throw error
  }
}
