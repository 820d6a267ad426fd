/** The quality class of a pod: which pods go first when a node runs out of memory. */
import type { Container } from '../../generated/apis/core/v1/container.ts'
import type { PodSpec } from '../../generated/apis/core/v1/pod.ts'
import { compareQuantities, parseQuantity, type Quantity } from '../kernel/values/quantity.ts'
import type { Loose } from '../kernel/walker/loose.ts'

type Amounts = Loose<Readonly<Record<string, string>>> | undefined

const qosResources = ['cpu', 'memory']

/**
 * Guaranteed if every container has limits and asks for all of them, BestEffort if none has or asks
 * for anything.
 * Only cpu and memory count; an amount of zero counts as absent. Init containers count, ephemeral
 * ones do not, since they have no resources (supplement I-02).
 */
export function qosClassOf(spec: Loose<PodSpec>): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  const some = ({ resources }: Loose<Container>) =>
    has(resources?.requests) || has(resources?.limits)
  if (!containers.some(some)) return 'BestEffort'
  return containers.every(isGuaranteed) ? 'Guaranteed' : 'Burstable'
}

function has(amounts: Amounts): boolean {
  return qosResources.some((name) => positive(amounts, name) !== undefined)
}

function isGuaranteed({ resources }: Loose<Container>): boolean {
  return qosResources.every((name) => {
    const limit = positive(resources?.limits, name)
    const request = positive(resources?.requests, name)
    return limit !== undefined && request !== undefined && compareQuantities(limit, request) === 0
  })
}

function positive(amounts: Amounts, name: string): Quantity | undefined {
  if (amounts === undefined || !Object.hasOwn(amounts, name)) return undefined
  const amount = parseQuantity(amounts[name] ?? '')
  return amount !== undefined && amount.nanos > 0n && !amount.negative ? amount : undefined
}
