import type { ResourceQuota } from '../../../../generated/apis/core/v1/resource-quota.ts'
import type { ApiObject, Stored } from '../../../kernel/meta/object.ts'
import {
  isPositive,
  pickResources,
  type ResourceList,
  subtractResources,
} from '../../../pods/pods.ts'
import {
  isQuotable,
  limitedResources,
  matchesScopes,
  usageOf,
  usedAt,
} from '../../../quota/quota.ts'
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
import { isPodRequest } from '../pods/pod-spec.ts'
import { QuotaAccessor } from './quota-accessor.ts'
import { unspecifiedResources } from './required-resources.ts'
import { objectIdentity } from './usage-counter.ts'

const path = 'api/v1/resourcequotas'

/**
 * ResourceQuota rejects requests that would exceed the quotas of their namespace (supplement Q-16).
 * What a request adds is charged before its object is stored and given back if it is not; a dry run
 * is only checked.
 */
export const resourceQuota: PluginFactory = (context) => {
  const kind = servedKind(context, path)
  const accessor = kind && new QuotaAccessor(context, kind)
  return {
    handles: (request) => kind !== undefined && isLimited(request),
    validate(attributes, recorder) {
      const { object, namespace } = attributes
      if (accessor === undefined || object === undefined) return
      if (attributes.resource === kind) recountOnSettled(accessor, attributes, recorder)
      const quotas = listObjects(context, path, namespace) as readonly Stored<ResourceQuota>[]
      if (quotas.length === 0) return
      const charging = { accessor, attributes, recorder, added: addedUsage(context, attributes) }
      return chargeAll(charging, object, quotas)
    },
  }
}

/** True for creations in a namespace, and for updates of resources whose usage can grow. */
function isLimited(request: ResourceOperation): boolean {
  const { resource, operation } = request
  if (!isQuotable(resource) || !isMainResource(request)) return false
  if (operation === 'CREATE') return true
  const growing = ['pods', 'services', 'persistentvolumeclaims', 'resourcequotas']
  return operation === 'UPDATE' && isResource(request, '', ...growing)
}

/** The status of a quota is counted anew when the quota is created or changed. */
function recountOnSettled(
  accessor: QuotaAccessor,
  { object, dryRun }: Attributes,
  recorder: Recorder,
): void {
  if (dryRun || object === undefined) return
  recorder.onSettled(async (stored) => {
    if (stored) await accessor.recount(object as Stored<ResourceQuota>)
  })
}

/** What the object uses now, less what it used before the request; it may be negative. */
function addedUsage(
  { scheme, clock }: PluginContext,
  { resource, object, oldObject }: Attributes,
): ResourceList {
  const usage = (one: ApiObject) => usedAt(usageOf(resource, one, scheme.platform), clock.now())
  const used = object === undefined ? new Map() : usage(object)
  return oldObject === undefined ? used : subtractResources(used, usage(oldObject))
}

/** What a request adds, and where it is charged. */
interface Charging {
  readonly accessor: QuotaAccessor
  readonly attributes: Attributes
  readonly recorder: Recorder
  readonly added: ResourceList
}

/** Charges one quota after the other. If a later one is exceeded, settling the request refunds the earlier ones. */
async function chargeAll(
  charging: Charging,
  object: ApiObject,
  quotas: readonly Stored<ResourceQuota>[],
): Promise<void> {
  for (const quota of quotas) {
    if (matchesScopes(quota, charging.attributes.resource, object)) {
      await chargeQuota(charging, object, quota)
    }
  }
}

/**
 * An update is charged for what it adds; what it frees is given back by the next count and not
 * here.
 */
async function chargeQuota(
  { accessor, attributes, recorder, added }: Charging,
  object: ApiObject,
  quota: Stored<ResourceQuota>,
): Promise<void> {
  const { operation, resource, dryRun } = attributes
  if (isPodRequest(attributes) && operation === 'CREATE') requireSpecified(quota, attributes)
  const increased = [...pickResources(added, limitedResources(quota))].filter(([, quantity]) =>
    isPositive(quantity),
  )
  if (increased.length === 0) return
  const resources: ResourceList = new Map(increased)
  const exceededError = (reason: string) => forbidden(attributes, reason)
  if (dryRun) return accessor.check(quota, resources, exceededError)
  const identity = operation === 'CREATE' && objectIdentity(resource, object.metadata.name ?? '')
  const charge = { resources, ...(identity && { identity }) }
  recorder.onSettled(await accessor.charge(quota, charge, exceededError))
}

/** Rejects a pod whose containers do not specify what the quota limits: its use could not be bounded. */
function requireSpecified(quota: ResourceQuota, attributes: Attributes): void {
  const missing = unspecifiedResources(quota, attributes.object)
  if (missing.length === 0) return
  const reason = `failed quota: ${quota.metadata.name}: must specify ${missing.join('; ')}`
  throw forbidden(attributes, reason)
}
