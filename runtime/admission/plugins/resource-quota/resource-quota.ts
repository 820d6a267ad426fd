import type { ResourceQuota } from '../../../../generated/apis/core/v1/resource-quota.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import {
  type Attributes,
  isMainResource,
  isResource,
  type Recorder,
  type ResourceOperation,
} from '../../chain/attributes.ts'
import { forbidden } from '../../chain/errors.ts'
import type { PluginFactory } from '../../chain/plugin.ts'
import { listObjects, type PluginContext, servedKind } from '../../chain/plugin-context.ts'
import { containersOf, isPodWrite, podSpecOf } from '../pods/pod-spec.ts'
import { isPositive, type ResourceList, subtractResources } from '../pods/resource-lists.ts'
import { limitedResources, objectIdentity, pickResources } from './count.ts'
import { QuotaAccessor } from './quota-accessor.ts'
import { matchesScopes } from './scopes.ts'
import { usageOf, usedAt } from './usage.ts'

const path = 'api/v1/resourcequotas'

/**
 * No namespace uses more than its quotas allow (supplement Q-16). What a request adds is charged before its object is
 * stored and given back if it is not; a dry run is only compared.
 */
export const resourceQuota: PluginFactory = (world) => {
  const kind = servedKind(world, path)
  const charges = kind && new QuotaAccessor(world, kind)
  return {
    handles: (place) => kind !== undefined && isLimited(place),
    validate(subject, voice) {
      if (kind === undefined || charges === undefined || subject.object === undefined) return
      if (subject.resource === kind) recountOnSettled(charges, subject, voice)
      const quotas = listObjects(world, path, subject.namespace) as readonly ResourceQuota[]
      if (quotas.length === 0) return
      return chargeAll(charges, quotas, addedBy(world, subject), subject, voice)
    },
  }
}

/** Everything new in a namespace, and the changes of what can grow. */
function isLimited(place: ResourceOperation): boolean {
  const { resource, operation } = place
  if (resource.scope !== 'Namespaced' || resource.review !== undefined) return false
  if (!isMainResource(place)) return false
  if (operation === 'CREATE') return true
  const growing = ['pods', 'services', 'persistentvolumeclaims', 'resourcequotas']
  return operation === 'UPDATE' && isResource(place, '', ...growing)
}

/** A quota says what is in use as soon as it is there, or limits something else. */
function recountOnSettled(
  charges: QuotaAccessor,
  { object, dryRun }: Attributes,
  voice: Recorder,
): void {
  if (dryRun || object === undefined) return
  voice.onSettled(async (stored) => {
    if (stored) await charges.recount(object as ResourceQuota)
  })
}

function addedBy(
  { scheme, clock }: PluginContext,
  { resource, object, old }: Attributes,
): ResourceList {
  const usage = (one: ApiObject) => usedAt(usageOf(resource, one, scheme.platform), clock.now())
  const now = object === undefined ? new Map() : usage(object)
  return old === undefined ? now : subtractResources(now, usage(old))
}

async function chargeAll(
  charges: QuotaAccessor,
  quotas: readonly ResourceQuota[],
  added: ResourceList,
  subject: Attributes,
  voice: Recorder,
): Promise<void> {
  for (const quota of quotas) await chargeQuota(charges, quota, added, subject, voice)
}

async function chargeQuota(
  charges: QuotaAccessor,
  quota: ResourceQuota,
  added: ResourceList,
  subject: Attributes,
  voice: Recorder,
): Promise<void> {
  const { object, operation } = subject
  if (object === undefined || !matchesScopes(quota, subject.resource, object)) return
  if (isPodWrite(subject) && operation === 'CREATE') requireSpecified(quota, subject)
  const more = [...pickResources(added, limitedResources(quota))].filter(([, amount]) =>
    isPositive(amount),
  )
  if (more.length === 0) return
  const amounts = new Map(more)
  const refuse = (why: string) => forbidden(subject, why)
  if (subject.dryRun) {
    await charges.compare(quota, amounts, refuse)
    return
  }
  const identity =
    operation === 'CREATE' && objectIdentity(subject.resource, object.metadata.name ?? '')
  voice.onSettled(await charges.charge(quota, { amounts, ...(identity && { identity }) }, refuse))
}

const mustBeSpecified = [
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
]

/** Of what is limited, every container has to say how much it wants. */
function requireSpecified(quota: ResourceQuota, subject: Attributes): void {
  const required = limitedResources(quota).filter((name) => mustBeSpecified.includes(name))
  const missing = required.flatMap((name) => {
    const names = containersOf(podSpecOf(subject.object))
      .filter(({ resources }) => !specifies(resources, name))
      .map((one) => one.name)
    return names.length === 0 ? [] : [`${name} for: ${[...new Set(names)].sort().join(',')}`]
  })
  if (missing.length === 0) return
  const why = `failed quota: ${quota.metadata.name}: must specify ${missing.join('; ')}`
  throw forbidden(subject, why)
}

type Resources = { readonly [K in 'requests' | 'limits']?: Readonly<Record<string, string>> }

function specifies(resources: Resources | undefined, name: string): boolean {
  const [side, resource] = name.includes('.') ? name.split('.') : ['requests', name]
  const amounts = (side === 'limits' ? resources?.limits : resources?.requests) ?? {}
  return Object.hasOwn(amounts, resource ?? '')
}
