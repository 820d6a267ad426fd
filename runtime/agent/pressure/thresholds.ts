/** How little of something a node may have left before pods have to go. */
import { parseDuration } from '../../kernel/values/duration.ts'
import { parseQuantity } from '../../kernel/values/quantity.ts'

/** What is looked at. */
export const signals = [
  'memory.available',
  'allocatableMemory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'pid.available',
] as const

export type Signal = (typeof signals)[number]

/** True for what is about memory. */
export function isMemory(signal: Signal): boolean {
  return signal.endsWith('emory.available')
}

/** A bound of a signal. */
export interface Threshold {
  readonly signal: Signal
  /** As it was written: `100Mi`, `10%`. */
  readonly text: string
  /** A part of all there is, or an amount. */
  readonly part?: number
  readonly amount?: number
  /** How long it may be crossed before pods go; 0 for a hard one. */
  readonly graceMs: number
  /** What has to be there beyond the bound before the node is out of its trouble, in the same forms. */
  readonly reclaim?: Pick<Threshold, 'part' | 'amount'>
}

/** The settings that thresholds stand in. */
export interface ThresholdSettings {
  readonly hard: Readonly<Record<string, string>>
  readonly soft: Readonly<Record<string, string>>
  readonly softGrace: Readonly<Record<string, string>>
  readonly minimumReclaim: Readonly<Record<string, string>>
}

/** Reads thresholds, and says what is wrong with them. */
export function readThresholds(settings: ThresholdSettings): {
  readonly thresholds: readonly Threshold[]
  readonly problems: readonly string[]
} {
  const problems: string[] = []
  const { hard, soft, softGrace, minimumReclaim } = settings
  const signalOf = (name: string, field: string): Signal | undefined => {
    const found = signals.find((one) => one === name)
    if (found === undefined) problems.push(`${field}: ${name} is none of ${signals.join(', ')}`)
    return found
  }
  const boundOf = (text: string, field: string, name: string) => {
    const bound = readBound(text)
    if (bound === undefined) {
      problems.push(`${field}: ${name}: ${JSON.stringify(text)} is no amount and no percentage`)
    }
    return bound
  }
  const graceOf = (name: string): number => {
    const ms = parseDuration(softGrace[name] ?? '')
    if (ms !== undefined && ms > 0) return ms
    problems.push(`evictionSoftGracePeriod: ${name} has a soft threshold and no grace period`)
    return 0
  }
  const read = (from: Readonly<Record<string, string>>, field: string, isSoft: boolean) =>
    Object.entries(from).flatMap(([name, text]): readonly Threshold[] => {
      const signal = signalOf(name, field)
      const bound = boundOf(text, field, name)
      const least = minimumReclaim[name]
      const reclaim = least && boundOf(least, 'evictionMinimumReclaim', name)
      if (signal === undefined || bound === undefined) return []
      const isOff = bound.part === 0 || bound.amount === 0
      if (isOff) return []
      const graceMs = isSoft ? graceOf(name) : 0
      return [{ signal, text, ...bound, graceMs, ...(reclaim && { reclaim }) }]
    })
  const thresholds = [...read(hard, 'evictionHard', false), ...read(soft, 'evictionSoft', true)]
  return { thresholds, problems }
}

function readBound(text: string): Pick<Threshold, 'part' | 'amount'> | undefined {
  if (text.endsWith('%')) {
    const part = Number(text.slice(0, -1)) / 100
    return part >= 0 && part <= 1 ? { part } : undefined
  }
  const quantity = parseQuantity(text)
  if (quantity === undefined || quantity.negative) return undefined
  return { amount: Number(quantity.nanos / 10n ** 9n) }
}

/** The bound for so much in all. */
export function boundFor(
  { part, amount }: Pick<Threshold, 'part' | 'amount'>,
  all: number,
): number {
  return part === undefined ? (amount ?? 0) : part * all
}
