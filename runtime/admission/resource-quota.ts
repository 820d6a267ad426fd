import type { ResourceQuota } from '../../generated/apis/core/v1/resource-quota.ts'
import type { ApiObject } from '../kernel/object.ts'
import { type Amounts, isPositive, minus } from './amounts.ts'
import { isResource, isWhole, type Place, type Subject, type Voice } from './attempt.ts'
import type { PluginFactory } from './plugin.ts'
import { containersOf, isPod, specOf } from './pods.ts'
import { Charges } from './quota/charges.ts'
import { identityOf, limitedNames, only } from './quota/count.ts'
import { isInScopes } from './quota/scopes.ts'
import { usageOf, usedAt } from './quota/usage.ts'
import { forbidden } from './refusal.ts'
import { objectsAt, resourceAt, type World } from './world.ts'

const path = 'api/v1/resourcequotas'

/**
 * No namespace uses more than its quotas allow (supplement Q-16). What a request adds is charged before its object is
 * stored and given back if it is not; a dry run is only compared.
 */
export const resourceQuota: PluginFactory = (world) => {
  const kind = resourceAt(world, path)
  const charges = kind && new Charges(world, kind)
  return {
    handles: (place) => kind !== undefined && isCharged(place),
    validate(subject, voice) {
      if (kind === undefined || charges === undefined || subject.object === undefined) return
      if (subject.resource === kind) keepBooks(charges, subject, voice)
      const quotas = objectsAt(world, path, subject.namespace) as readonly ResourceQuota[]
      if (quotas.length === 0) return
      return chargeAll(charges, quotas, addedBy(world, subject), subject, voice)
    },
  }
}

/** Everything new in a namespace, and the changes of what can grow. */
function isCharged(place: Place): boolean {
  const { resource, operation } = place
  if (resource.scope !== 'Namespaced' || resource.answers !== undefined) return false
  if (!isWhole(place)) return false
  if (operation === 'CREATE') return true
  const growing = ['pods', 'services', 'persistentvolumeclaims', 'resourcequotas']
  return operation === 'UPDATE' && isResource(place, '', ...growing)
}

/** A quota says what is in use as soon as it is there, or limits something else. */
function keepBooks(charges: Charges, { object, dryRun }: Subject, voice: Voice): void {
  if (dryRun || object === undefined) return
  voice.settled(async (stored) => {
    if (stored) await charges.recount(object as ResourceQuota)
  })
}

function addedBy({ tree, clock }: World, { resource, object, old }: Subject): Amounts {
  const usage = (one: ApiObject) => usedAt(usageOf(resource, one, tree.platform), clock.now())
  const now = object === undefined ? new Map() : usage(object)
  return old === undefined ? now : minus(now, usage(old))
}

async function chargeAll(
  charges: Charges,
  quotas: readonly ResourceQuota[],
  added: Amounts,
  subject: Subject,
  voice: Voice,
): Promise<void> {
  for (const quota of quotas) await chargeTo(charges, quota, added, subject, voice)
}

async function chargeTo(
  charges: Charges,
  quota: ResourceQuota,
  added: Amounts,
  subject: Subject,
  voice: Voice,
): Promise<void> {
  const { object, operation } = subject
  if (object === undefined || !isInScopes(quota, subject.resource, object)) return
  if (isPod(subject) && operation === 'CREATE') requireStated(quota, subject)
  const more = [...only(added, limitedNames(quota))].filter(([, amount]) => isPositive(amount))
  if (more.length === 0) return
  const amounts = new Map(more)
  const refuse = (why: string) => forbidden(subject, why)
  if (subject.dryRun) {
    await charges.compare(quota, amounts, refuse)
    return
  }
  const identity =
    operation === 'CREATE' && identityOf(subject.resource, object.metadata.name ?? '')
  voice.settled(await charges.charge(quota, { amounts, ...(identity && { identity }) }, refuse))
}

const stated = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']

/** Of what is limited, every container has to say how much it wants. */
function requireStated(quota: ResourceQuota, subject: Subject): void {
  const required = limitedNames(quota).filter((name) => stated.includes(name))
  const missing = required.flatMap((name) => {
    const names = containersOf(specOf(subject.object))
      .filter(({ resources }) => !states(resources, name))
      .map((one) => one.name)
    return names.length === 0 ? [] : [`${name} for: ${[...new Set(names)].sort().join(',')}`]
  })
  if (missing.length === 0) return
  const why = `failed quota: ${quota.metadata.name}: must specify ${missing.join('; ')}`
  throw forbidden(subject, why)
}

type Resources = { readonly [K in 'requests' | 'limits']?: Readonly<Record<string, string>> }

function states(resources: Resources | undefined, name: string): boolean {
  const [side, resource] = name.includes('.') ? name.split('.') : ['requests', name]
  const amounts = (side === 'limits' ? resources?.limits : resources?.requests) ?? {}
  return Object.hasOwn(amounts, resource ?? '')
}
