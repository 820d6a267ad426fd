/** Cells of the API server's own kinds: flow control, storage versions, extensions, and of resource claims. */
import type { ValidatingAdmissionPolicy } from '../../../generated/apis/admissionregistration/v1beta1/policy.ts'
import type { ValidatingAdmissionPolicyBinding } from '../../../generated/apis/admissionregistration/v1beta1/policy-binding.ts'
import type { APIService } from '../../../generated/apis/apiregistration/v1.ts'
import type { StorageVersion } from '../../../generated/apis/apiserverinternal/v1alpha1.ts'
import type { FlowSchema } from '../../../generated/apis/flowcontrol/v1/flow-schema.ts'
import type { PriorityLevelConfiguration } from '../../../generated/apis/flowcontrol/v1/priority-level-configuration.ts'
import type { ResourceClaim } from '../../../generated/apis/resource/v1alpha2/resource-claim.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'
import type { Cell } from './cell.ts'
import { formatFirst } from './format.ts'

const unset = '<unset>'

/** Whether the priority level of a flow schema is missing; a question mark before that was found out. */
export function missingPriorityLevel({ status }: LooseObject<FlowSchema>): Cell {
  return status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?'
}

/** The share of the server's seats that a level has. */
export function nominalShares({ spec }: LooseObject<PriorityLevelConfiguration>): Cell {
  return (spec?.limited ?? spec?.exempt)?.nominalConcurrencyShares ?? '<none>'
}

const mostServers = 3

/** `server=version` of the first servers, and how many more there are. */
export function serverStorageVersions({ status }: LooseObject<StorageVersion>): Cell {
  const servers = (status?.storageVersions ?? []).map(
    ({ apiServerID, encodingVersion }) => `${apiServerID}=${encodingVersion}`,
  )
  return formatFirst(servers, mostServers, ',') || unset
}

/** How far the allocation of a claim is. */
export function resourceClaimState({ metadata, status }: LooseObject<ResourceClaim>): Cell {
  const deleted = metadata.deletionTimestamp !== undefined
  const allocated = status?.allocation !== undefined
  return [
    ...(deleted ? ['deleted'] : []),
    ...(allocated ? ['allocated'] : deleted ? [] : ['pending']),
    ...(allocated && status?.deallocationRequested ? ['deallocation-requested'] : []),
    ...(status?.reservedFor?.length ? ['reserved'] : []),
  ].join(',')
}

/** `namespace/name` of the service of another server, or `Local`. */
export function apiServiceTarget({ spec }: LooseObject<APIService>): Cell {
  return spec?.service ? `${spec.service.namespace}/${spec.service.name}` : 'Local'
}

/** `True`, or the status with its reason. */
export function apiServiceAvailable({ status }: LooseObject<APIService>): Cell {
  const found = status?.conditions?.find(({ type }) => type === 'Available')
  if (found === undefined) return 'Unknown'
  return found.status === 'True' ? 'True' : `${found.status} (${found.reason})`
}

/** `group/version/Kind` of the parameters of a policy. */
export function policyParamKind({ spec }: LooseObject<ValidatingAdmissionPolicy>): Cell {
  return spec?.paramKind ? `${spec.paramKind.apiVersion}/${spec.paramKind.kind}` : unset
}

/** `namespace/name` of the parameters, or `*` in place of a name for those that labels select. */
export function bindingParamRef({ spec }: LooseObject<ValidatingAdmissionPolicyBinding>): Cell {
  if (spec?.paramRef === undefined) return unset
  const { namespace, name } = spec.paramRef
  return namespace ? `${namespace}/${name || '*'}` : name || '*'
}
