/** What a list of nodes shows. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Node } from '../core/node/node.ts'

const none = '<none>'
const unknown = '<unknown>'

/** Whether the node is ready, and whether it takes new pods. */
export function nodeStatus(object: ApiObject): string {
  const { spec, status } = object as Node
  const ready = status?.conditions?.findLast((condition) => condition.type === 'Ready')
  const health = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'
  return spec?.unschedulable ? `${health},SchedulingDisabled` : health
}

/** The roles that labels name: `node-role.<domain>/<role>`. */
export function nodeRoles(object: ApiObject): string {
  const roles = Object.keys(object.metadata.labels ?? {})
    .map((key) => /^node-role\.[^/]+\/(.+)$/.exec(key)?.[1])
    .filter((role) => role !== undefined)
  return [...new Set(roles)].sort().join(',') || none
}

const otherVersions = new Set(['kernelVersion', 'containerRuntimeVersion'])

/** The version of the node agent. The field bears the agent's name, so it is found as the one version left over. */
export function nodeVersion(object: ApiObject): string {
  const info = (object as Node).status?.nodeInfo ?? {}
  const agent = Object.keys(info).find(
    (key) => key.endsWith('Version') && !key.endsWith('ProxyVersion') && !otherVersions.has(key),
  )
  return agent === undefined ? '' : (info[agent] ?? '')
}

export function nodeInternalIP(object: ApiObject): string {
  return addressOf(object, 'InternalIP')
}

export function nodeExternalIP(object: ApiObject): string {
  return addressOf(object, 'ExternalIP')
}

export function nodeOSImage(object: ApiObject): string {
  return (object as Node).status?.nodeInfo?.osImage || unknown
}

export function nodeKernelVersion(object: ApiObject): string {
  return (object as Node).status?.nodeInfo?.kernelVersion || unknown
}

export function nodeContainerRuntime(object: ApiObject): string {
  return (object as Node).status?.nodeInfo?.containerRuntimeVersion || unknown
}

function addressOf(object: ApiObject, type: string): string {
  const address = (object as Node).status?.addresses?.find((one) => one.type === type)
  return address?.address ?? none
}
