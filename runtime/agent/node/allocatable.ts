import {
  parseResourceList,
  printResourceList,
  type ResourceList,
  subtractResources,
} from '../../pods/pods.ts'
import { boundFor, type Threshold } from '../pressure/thresholds.ts'

type Amounts = Readonly<Record<string, string>>

/** What a node gives to pods: all it has, without what is kept for the system, and without what has to be left before pods go. */
export function allocatableOf(
  capacity: Amounts,
  reserved: readonly Amounts[],
  thresholds: readonly Threshold[],
): Amounts {
  const all = parseResourceList(capacity)
  const known = (list: ResourceList) => new Map([...list].filter(([name]) => all.has(name)))
  const rest = [...reserved.map(parseResourceList), kept(all, thresholds)]
    .map(known)
    .reduce(subtractResources, all)
  const above = [...rest].map(([name, amount]) => {
    const least = { ...amount, negative: false, nanos: 0n }
    return [name, amount.negative ? least : amount] as const
  })
  return printResourceList(new Map(above))
}

/** Hard thresholds are what pods never get. */
function kept(all: ResourceList, thresholds: readonly Threshold[]): ResourceList {
  const names = { 'memory.available': 'memory', 'nodefs.available': 'ephemeral-storage' } as const
  return new Map(
    thresholds.flatMap((threshold) => {
      const name = names[threshold.signal as keyof typeof names]
      const whole = name && all.get(name)
      if (whole === undefined || threshold.graceMs > 0) return []
      const bound = Math.ceil(boundFor(threshold, Number(whole.nanos / 10n ** 9n)))
      return [[name, { ...whole, nanos: BigInt(bound) * 10n ** 9n }] as const]
    }),
  )
}
