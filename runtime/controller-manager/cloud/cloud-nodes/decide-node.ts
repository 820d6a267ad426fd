import type { Node, Taint } from '../../../../generated/apis/core/v1/node.ts'
import type { InstanceState } from '../../../cloud/cloud.ts'

/** What there is to do about a node whose machine is a cloud's. */
export type NodePlan =
  | { readonly is: 'nothing' }
  /** Its machine is gone. */
  | { readonly is: 'delete' }
  /** It has these taints from now on. */
  | { readonly is: 'taint'; readonly taints: readonly Taint[] }

const nothing: NodePlan = { is: 'nothing' }

/** True for a node that says itself that it runs: the cloud need not be asked. */
export function saysItRuns({ status }: Node): boolean {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True'
}

/** What there is to do about a node whose machine is in that state; `running` where the node says so itself. */
export function decideNode(node: Node, state: InstanceState, domain: string): NodePlan {
  if (state === 'gone') return { is: 'delete' }
  const { taints = [] } = node.spec ?? {}
  const isOwn = ({ key, effect }: Taint) => key === shutdown(domain) && effect === 'NoSchedule'
  const isMarked = taints.some(isOwn)
  if (state === 'off') {
    if (isMarked) return nothing
    return { is: 'taint', taints: [...taints, { key: shutdown(domain), effect: 'NoSchedule' }] }
  }
  // A machine that runs again keeps the taint until its node is ready.
  if (!isMarked || !saysItRuns(node)) return nothing
  return { is: 'taint', taints: taints.filter((taint) => !isOwn(taint)) }
}

function shutdown(domain: string): string {
  return `node.cloudprovider.${domain}/shutdown`
}
