import type { Clock, Random } from '../../kernel/async/clock.ts'
import { offsetIn, parseRange } from '../../kernel/values/ip-ranges.ts'
import type { Frontend } from '../contract/plan.ts'

/** What listens for one frontend at one address. */
export interface Listener {
  /** From now on that is what is led. */
  use(frontend: Frontend): void
  stop(): void
}

/** What listeners work with. */
export interface ListenerOptions {
  readonly host: string
  readonly frontend: Frontend
  readonly clock: Clock
  readonly random: Random
}

/** Whether a client may come. */
export function mayCome(address: string, { sources }: Frontend): boolean {
  if (sources.length === 0) return true
  return sources.some((source) => {
    const range = parseRange(source)
    return range !== undefined && offsetIn(range, address) !== undefined
  })
}
