/** Whether a node is under pressure, and what of: a pure decision over what it has left, and what was decided before. */
import { boundFor, isMemory, type Signal, type Threshold } from './thresholds.ts'

/** What is left of something, of all there is. */
export interface Left {
  readonly available: number
  readonly capacity: number
}

/** What a node has left; what cannot be looked at is not in it. */
export type Observations = ReadonlyMap<Signal, Left>

/** What a node has too little of. */
export interface NodePressure {
  readonly memory: boolean
  readonly disk: boolean
  readonly pids: boolean
}

/** What was decided, and is remembered for the next time. */
export interface PressureState {
  /** Since when each threshold has been crossed. */
  readonly since: ReadonlyMap<Threshold, number>
  /** When each condition held last. */
  readonly heldAt: Readonly<Record<keyof NodePressure, number | undefined>>
  readonly pressure: NodePressure
  /** Thresholds that pods have to go for now, the most urgent first. */
  readonly due: readonly Threshold[]
}

export const noPressure: PressureState = {
  since: new Map(),
  heldAt: { memory: undefined, disk: undefined, pids: undefined },
  pressure: { memory: false, disk: false, pids: false },
  due: [],
}

const conditionOf = (signal: Signal): keyof NodePressure =>
  isMemory(signal) ? 'memory' : signal === 'pid.available' ? 'pids' : 'disk'

/** Memory first: it cannot wait. */
const order: readonly (keyof NodePressure)[] = ['memory', 'pids', 'disk']

/** Decides at `now`. Pressure lasts at least `transitionMs` after it was there last. */
export function decidePressure(
  thresholds: readonly Threshold[],
  seen: Observations,
  before: PressureState,
  { now, transitionMs }: { readonly now: number; readonly transitionMs: number },
): PressureState {
  const crossed = thresholds.filter((one) => isCrossed(one, seen, before.due.includes(one)))
  const since = new Map(crossed.map((one) => [one, before.since.get(one) ?? now]))
  const due = crossed
    .filter((one) => now - (since.get(one) ?? now) >= one.graceMs)
    .sort((a, b) => order.indexOf(conditionOf(a.signal)) - order.indexOf(conditionOf(b.signal)))
  const held = new Set(crossed.map(({ signal }) => conditionOf(signal)))
  const heldAtOf = (name: keyof NodePressure) => (held.has(name) ? now : before.heldAt[name])
  const heldAt = { memory: heldAtOf('memory'), disk: heldAtOf('disk'), pids: heldAtOf('pids') }
  const isUnder = (name: keyof NodePressure) => {
    const at = heldAt[name]
    return held.has(name) || (at !== undefined && now - at < transitionMs)
  }
  const pressure = { memory: isUnder('memory'), disk: isUnder('disk'), pids: isUnder('pids') }
  return { since, heldAt, pressure, due }
}

/** What pods went for has to be there again with something more. */
function isCrossed(threshold: Threshold, seen: Observations, wasDue: boolean): boolean {
  const found = seen.get(threshold.signal)
  if (found === undefined || found.capacity === 0) return false
  const more = wasDue && threshold.reclaim ? boundFor(threshold.reclaim, found.capacity) : 0
  return found.available < boundFor(threshold, found.capacity) + more
}
