/** What lists of the API server's own kinds show: flow control, storage versions, extensions, and resource claims. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { StorageVersion } from '../apiserverinternal/storage-version.ts'
import type { FlowSchema, PriorityLevel } from '../flowcontrol/flow-control.ts'
import type { ResourceClaim } from '../resource/resource-claims.ts'
import type { Condition, List } from '../types/shapes.ts'
import type { Cell } from './cell.ts'

const none = '<none>'
const unset = '<unset>'

export function matchingPrecedence(object: ApiObject): Cell {
  return (object as FlowSchema).spec?.matchingPrecedence ?? 0
}

export function distinguisherMethod(object: ApiObject): Cell {
  return (object as FlowSchema).spec?.distinguisherMethod?.type ?? none
}

/** Whether the schema dangles: a question mark while nobody has looked. */
export function missingPriorityLevel(object: ApiObject): Cell {
  const conditions = (object as FlowSchema).status?.conditions ?? []
  return conditions.find(({ type }) => type === 'Dangling')?.status ?? '?'
}

export function nominalShares(object: ApiObject): Cell {
  const { limited, exempt } = (object as PriorityLevel).spec ?? {}
  return (limited ?? exempt)?.nominalConcurrencyShares ?? none
}

export function levelQueues(object: ApiObject): Cell {
  return queuingOf(object)?.queues ?? none
}

export function levelHandSize(object: ApiObject): Cell {
  return queuingOf(object)?.handSize ?? none
}

export function levelQueueLength(object: ApiObject): Cell {
  return queuingOf(object)?.queueLengthLimit ?? none
}

function queuingOf(object: ApiObject) {
  return (object as PriorityLevel).spec?.limited?.limitResponse?.queuing
}

export function commonEncodingVersion(object: ApiObject): Cell {
  return (object as StorageVersion).status?.commonEncodingVersion ?? unset
}

const mostServers = 3

/** `server=version` of the first servers, and how many more there are. */
export function serverStorageVersions(object: ApiObject): Cell {
  const servers = (object as StorageVersion).status?.storageVersions ?? []
  if (servers.length === 0) return unset
  const shown = servers
    .slice(0, mostServers)
    .map(({ apiServerID, encodingVersion }) => `${apiServerID}=${encodingVersion}`)
  const more = servers.length - mostServers
  return shown.join(',') + (more > 0 ? ` + ${more} more...` : '')
}

/** How far the allocation of a claim is. */
export function resourceClaimState(object: ApiObject): Cell {
  const { metadata, status } = object as ResourceClaim
  const deleted = metadata.deletionTimestamp !== undefined
  const used = (status?.reservedFor ?? []).length > 0
  const allocated = status?.allocation !== undefined
  return [
    ...(deleted ? ['deleted'] : []),
    ...(allocated ? ['allocated'] : deleted ? [] : ['pending']),
    ...(allocated && status?.deallocationRequested ? ['deallocation-requested'] : []),
    ...(used ? ['reserved'] : []),
  ].join(',')
}

interface Extension extends ApiObject {
  readonly webhooks?: List<object>
  readonly spec?: {
    readonly service?: { readonly namespace?: string; readonly name?: string }
    readonly validations?: List<object>
    readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string }
    readonly paramRef?: {
      readonly name?: string
      readonly namespace?: string
      readonly selector?: object
    }
  }
  readonly status?: { readonly conditions?: List<Condition> }
}

/** `namespace/name` of the service of another server, or `Local`. */
export function apiServiceTarget(object: ApiObject): Cell {
  const { service } = (object as Extension).spec ?? {}
  return service === undefined ? 'Local' : `${service.namespace}/${service.name}`
}

/** `True`, or the status with its reason. */
export function apiServiceAvailable(object: ApiObject): Cell {
  const conditions = (object as Extension).status?.conditions ?? []
  const found = conditions.find(({ type }) => type === 'Available')
  if (found === undefined) return 'Unknown'
  return found.status === 'True' ? 'True' : `${found.status} (${found.reason})`
}

export function webhookCount(object: ApiObject): Cell {
  return (object as Extension).webhooks?.length ?? 0
}

export function validationCount(object: ApiObject): Cell {
  return (object as Extension).spec?.validations?.length ?? 0
}

/** `group/version/Kind`. */
export function policyParamKind(object: ApiObject): Cell {
  const kind = (object as Extension).spec?.paramKind
  return kind === undefined ? unset : `${kind.apiVersion}/${kind.kind}`
}

/** `namespace/name` of the parameters, or `*` in place of a name for those that labels select. */
export function bindingParamRef(object: ApiObject): Cell {
  const ref = (object as Extension).spec?.paramRef
  if (ref === undefined) return unset
  const { namespace, name } = ref
  return namespace ? `${namespace}/${name || '*'}` : name || '*'
}
