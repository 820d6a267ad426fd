/** The quality class of a pod: who must go first when a node runs short. */
import { compareQuantities, parseQuantity, type Quantity } from '../../../kernel/values/quantity.ts'
import type { Container, PodSpec, Strings } from '../../types/shapes.ts'

const qosResources = ['cpu', 'memory']

/** Guaranteed if every container has limits and asks for all of them, BestEffort if none has or asks for anything. */
export function qosClassOf(spec: PodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  const some = ({ resources }: Container) => has(resources?.requests) || has(resources?.limits)
  if (!containers.some(some)) return 'BestEffort'
  return containers.every(isGuaranteed) ? 'Guaranteed' : 'Burstable'
}

function has(amounts: Strings | undefined): boolean {
  return qosResources.some((name) => positive(amounts, name) !== undefined)
}

function isGuaranteed({ resources }: Container): boolean {
  return qosResources.every((name) => {
    const limit = positive(resources?.limits, name)
    const request = positive(resources?.requests, name)
    return limit !== undefined && request !== undefined && compareQuantities(limit, request) === 0
  })
}

function positive(amounts: Strings | undefined, name: string): Quantity | undefined {
  if (amounts === undefined || !Object.hasOwn(amounts, name)) return undefined
  const amount = parseQuantity(amounts[name] ?? '')
  return amount !== undefined && amount.nanos > 0n && !amount.negative ? amount : undefined
}
