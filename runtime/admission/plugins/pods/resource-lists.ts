/** Lists of resources by name, and what a pod asks for as a whole. */
import {
  compareQuantities,
  parseQuantity,
  printQuantity,
  type Quantity,
} from '../../../kernel/values/quantity.ts'
import type { Container, PodSpec } from './pod-spec.ts'

/** Amounts as objects carry them. */
export type QuantityTexts = Readonly<Record<string, string>> | null | undefined
/** Amounts to reckon with, by the names of the resources. */
export type ResourceList = ReadonlyMap<string, Quantity>

/** The amounts of a list; what is none is left out. */
export function parseResourceList(texts: QuantityTexts): ResourceList {
  const entries = Object.entries(texts ?? {}).flatMap(([name, text]) => {
    const amount = parseQuantity(text)
    return amount === undefined ? [] : [[name, amount] as const]
  })
  return new Map(entries)
}

/** Amounts as objects carry them, each in the suffix family that it came in. */
export function printResourceList(amounts: ResourceList): Readonly<Record<string, string>> {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, printQuantity(amount)]))
}

const zero: Quantity = { negative: false, nanos: 0n, family: 'decimal' }

/** So many of something. */
export function countQuantity(count: number): Quantity {
  return { negative: false, nanos: BigInt(count) * 10n ** 9n, family: 'decimal' }
}

function signed({ negative, nanos }: Quantity): bigint {
  return negative ? -nanos : nanos
}

function quantityOf(nanos: bigint, family: Quantity['family']): Quantity {
  return { negative: nanos < 0n, nanos: nanos < 0n ? -nanos : nanos, family }
}

/** A sum keeps the suffix family of what was there first. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const family = a.nanos === 0n ? b.family : a.family
  return quantityOf(signed(a) + signed(b), family)
}

function negated(amount: Quantity): Quantity {
  return quantityOf(-signed(amount), amount.family)
}

/** Both together, for every name of either. */
export function addResources(a: ResourceList, b: ResourceList): ResourceList {
  const total = new Map(a)
  for (const [name, amount] of b) total.set(name, addQuantities(total.get(name) ?? zero, amount))
  return total
}

/** What is left of the first without the second; below zero where the second has more. */
export function subtractResources(a: ResourceList, b: ResourceList): ResourceList {
  return addResources(a, new Map([...b].map(([name, amount]) => [name, negated(amount)])))
}

/** True for more than nothing. */
export function isPositive(amount: Quantity): boolean {
  return signed(amount) > 0n
}

/** The larger of both for each name. */
export function maxResources(a: ResourceList, b: ResourceList): ResourceList {
  const most = new Map(a)
  for (const [name, amount] of b) {
    const other = most.get(name)
    if (other === undefined || compareQuantities(amount, other) > 0) most.set(name, amount)
  }
  return most
}

type Side = 'requests' | 'limits'

/**
 * What a pod needs at once: all its containers together, or the most that one of those needs that run before, counting
 * those that go on running.
 */
export function podResources(spec: Partial<PodSpec>, side: Side): ResourceList {
  const of = ({ resources }: Container) => parseResourceList(resources?.[side])
  let running: ResourceList = new Map()
  let before: ResourceList = new Map()
  for (const container of spec.initContainers ?? []) {
    const own = of(container)
    if (container.restartPolicy === 'Always') running = addResources(running, own)
    before = maxResources(
      before,
      container.restartPolicy === 'Always' ? running : addResources(running, own),
    )
  }
  const main = (spec.containers ?? []).map(of).reduce<ResourceList>(addResources, running)
  return maxResources(main, before)
}
