/** Whether there is room for a pod on a node, among the pods that are there. */
import type { PodClass } from '../facts/pod-class.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'
import { full, type Rejection } from './rejection.ts'

/** A port of the node that another pod has. */
export function portsRejection({ ports }: PodClass, node: NodeInfo): Rejection | undefined {
  if (ports.length === 0 || !node.takes(ports)) return undefined
  return full('NodePorts', "node(s) didn't have free ports for the requested pod ports")
}

/** Resources that are not free, all of them. */
export function fitRejection({ requests }: PodClass, node: NodeInfo): Rejection | undefined {
  const { allocatable, used } = node
  let reasons: string[] | undefined
  const lacks = (reason: string): void => {
    reasons = [...(reasons ?? []), reason]
  }
  if (node.pods.size + 1 > node.podLimit) lacks('Too many pods')
  if (requests.cpu > 0 && requests.cpu > allocatable.cpu - used.cpu) lacks('Insufficient cpu')
  if (requests.memory > 0 && requests.memory > allocatable.memory - used.memory)
    lacks('Insufficient memory')
  if (requests.storage > 0 && requests.storage > allocatable.storage - used.storage)
    lacks('Insufficient ephemeral-storage')
  for (const [name, amount] of requests.others) {
    const free = (allocatable.others.get(name) ?? 0) - (used.others.get(name) ?? 0)
    if (amount > 0 && amount > free) lacks(`Insufficient ${name}`)
  }
  return reasons && full('NodeResourcesFit', ...reasons)
}
