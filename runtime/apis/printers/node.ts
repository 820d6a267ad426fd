import type { Node } from '../../../generated/apis/core/v1/node.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'

const none = '<none>'

/** Whether the node is ready, and whether it takes new pods. */
export function nodeStatus({ spec, status }: LooseObject<Node>): string {
  const ready = status?.conditions?.findLast((condition) => condition.type === 'Ready')
  const health = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'
  return spec?.unschedulable ? `${health},SchedulingDisabled` : health
}

/** The roles that labels name: `node-role.<domain>/<role>`. */
export function nodeRoles({ metadata }: LooseObject<Node>): string {
  const roles = Object.keys(metadata.labels ?? {})
    .map((key) => /^node-role\.[^/]+\/(.+)$/.exec(key)?.[1])
    .filter((role) => role !== undefined)
  return [...new Set(roles)].sort().join(',') || none
}

const otherVersions = new Set(['kernelVersion', 'containerRuntimeVersion'])

/** The version of the node agent. The field bears the agent's name, so it is found as the one version left over. */
export function nodeVersion({ status }: LooseObject<Node>): string {
  const info: Readonly<Record<string, string>> = status?.nodeInfo ?? {}
  const agent = Object.keys(info).find(
    (key) => key.endsWith('Version') && !key.endsWith('ProxyVersion') && !otherVersions.has(key),
  )
  return agent === undefined ? '' : (info[agent] ?? '')
}

/** The address inside the cluster. */
export function nodeInternalIP(node: LooseObject<Node>): string {
  return addressOf(node, 'InternalIP')
}

/** The address outside the cluster. */
export function nodeExternalIP(node: LooseObject<Node>): string {
  return addressOf(node, 'ExternalIP')
}

function addressOf({ status }: LooseObject<Node>, type: string): string {
  const address = status?.addresses?.find((one) => one.type === type)
  return address?.address ?? none
}
