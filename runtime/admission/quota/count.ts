/** What all objects of a namespace use of what a quota counts, from the objects themselves. */
import type { ResourceQuota } from '../../../generated/apis/core/v1/resource-quota.ts'
import { type AnyKind, resourceName } from '../../kernel/kind.ts'
import { type Amounts, sum, whole } from '../amounts.ts'
import { resourceAt, type World } from '../world.ts'
import { isInScopes } from './scopes.ts'
import { usageOf } from './usage.ts'

/** The names that a quota limits. */
export function limitedNames({ spec }: ResourceQuota): readonly string[] {
  return Object.keys(spec?.hard ?? {}).sort()
}

/** Only the amounts of these names. */
export function only(amounts: Amounts, names: readonly string[]): Amounts {
  return new Map(
    names.flatMap((name) => {
      const amount = amounts.get(name)
      return amount === undefined ? [] : [[name, amount] as const]
    }),
  )
}

/** What is used of everything that the quota limits, zeroes included; `except` names objects that count elsewhere. */
export function counted(
  world: World,
  quota: ResourceQuota,
  except: ReadonlySet<string> = new Set(),
): Amounts {
  const names = limitedNames(quota)
  const { platform } = world.tree
  const now = world.clock.now()
  let used: Amounts = new Map(names.map((name) => [name, whole(0)]))
  for (const kind of kindsOf(world, names)) {
    for (const stored of world.lister.list(kind, quota.metadata.namespace)) {
      const object = stored.object()
      if (except.has(identityOf(kind, object.metadata.name ?? ''))) continue
      if (!isInScopes(quota, kind, object)) continue
      used = sum(used, only(usageOf(kind, object, platform, now), names))
    }
  }
  return used
}

/** Tells an object from all others of its namespace. */
export function identityOf(kind: AnyKind, name: string): string {
  return `${resourceName(kind)}/${name}`
}

/** The kinds of which objects use any of these names. */
function kindsOf(world: World, names: readonly string[]): readonly AnyKind[] {
  const paths = new Set(names.flatMap((name) => pathOf(world, name) ?? []))
  return [...paths].flatMap((path) => resourceAt(world, path) ?? [])
}

function pathOf(world: World, name: string): string | undefined {
  if (name.startsWith('count/')) return countedPath(world, name.slice('count/'.length))
  if (name.startsWith('services')) return 'api/v1/services'
  if (/^(configmaps|secrets|replicationcontrollers|resourcequotas)$/.test(name))
    return `api/v1/${name}`
  const claims = /(^|\/)(persistentvolumeclaims|requests\.storage)$/
  return claims.test(name) ? 'api/v1/persistentvolumeclaims' : 'api/v1/pods'
}

function countedPath({ tree }: World, resource: string): string | undefined {
  return Object.keys(tree.routes).find((path) => {
    const kind = tree.routes[path]
    return kind?.scope === 'Namespaced' && resourceName(kind) === resource
  })
}
