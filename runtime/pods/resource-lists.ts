/** Resource lists: quantities by the names of resources, and their arithmetic. */
import {
  compareQuantities,
  parseQuantity,
  printQuantity,
  type Quantity,
} from '../kernel/values/quantity.ts'

/** A resource list as objects carry it. */
export type QuantityTexts = Readonly<Record<string, string>> | null | undefined
/** A parsed resource list. */
export type ResourceList = ReadonlyMap<string, Quantity>

/** Parses a resource list; texts that are not quantities are left out. */
export function parseResourceList(texts: QuantityTexts): ResourceList {
  const entries = Object.entries(texts ?? {}).flatMap(([name, text]) => {
    const amount = parseQuantity(text)
    return amount === undefined ? [] : [[name, amount] as const]
  })
  return new Map(entries)
}

/** Prints a resource list, each quantity in the suffix family that it was written in. */
export function printResourceList(amounts: ResourceList): Readonly<Record<string, string>> {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, printQuantity(amount)]))
}

const zero: Quantity = { negative: false, nanos: 0n, family: 'decimal' }

/** The quantity of a number of objects. */
export function countQuantity(count: number): Quantity {
  return { negative: false, nanos: BigInt(count) * 10n ** 9n, family: 'decimal' }
}

function signed({ negative, nanos }: Quantity): bigint {
  return negative ? -nanos : nanos
}

function quantityOf(nanos: bigint, family: Quantity['family']): Quantity {
  return { negative: nanos < 0n, nanos: nanos < 0n ? -nanos : nanos, family }
}

/** The sum of two quantities, in the suffix family of the first unless that is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const family = a.nanos === 0n ? b.family : a.family
  return quantityOf(signed(a) + signed(b), family)
}

function negated(amount: Quantity): Quantity {
  return quantityOf(-signed(amount), amount.family)
}

/** The sum for every name of either list. */
export function addResources(a: ResourceList, b: ResourceList): ResourceList {
  const total = new Map(a)
  for (const [name, amount] of b) total.set(name, addQuantities(total.get(name) ?? zero, amount))
  return total
}

/** The difference for every name of either list; it may be negative. */
export function subtractResources(a: ResourceList, b: ResourceList): ResourceList {
  return addResources(a, new Map([...b].map(([name, amount]) => [name, negated(amount)])))
}

/** The least whole number that is not below a quantity. */
export function wholeQuantity({ nanos, ...rest }: Quantity): Quantity {
  const more = rest.negative ? 0n : 10n ** 9n - 1n
  return { ...rest, nanos: ((nanos + more) / 10n ** 9n) * 10n ** 9n }
}

/** True for a quantity above zero. */
export function isPositive(amount: Quantity): boolean {
  return signed(amount) > 0n
}

/** The larger quantity for every name of either list. */
export function maxResources(a: ResourceList, b: ResourceList): ResourceList {
  const most = new Map(a)
  for (const [name, amount] of b) {
    const other = most.get(name)
    if (other === undefined || compareQuantities(amount, other) > 0) most.set(name, amount)
  }
  return most
}

/** The quantities of the named resources. */
export function pickResources(list: ResourceList, names: readonly string[]): ResourceList {
  return new Map(
    names.flatMap((name) => {
      const quantity = list.get(name)
      return quantity === undefined ? [] : [[name, quantity] as const]
    }),
  )
}
