import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Clock } from '../../kernel/async/clock.ts'

/** Looks names up for new connections, and tells how long that takes. An address is none: nothing is looked up for it. */
export interface Lookups {
  readonly lookup: LookupFunction
  /** Has `listener`, and no earlier one, told milliseconds of every look-up, those that find nothing, too. */
  hear(listener: (ms: number) => void): void
}

/** Look-ups of names by the system. */
export function createLookups(clock: Clock): Lookups {
  let heard = (_ms: number): void => {}
  return {
    lookup(name, options, done) {
      const began = clock.monotonic()
      lookup(name, options, (...found) => {
        heard(clock.monotonic() - began)
        done(...found)
      })
    },
    hear(listener) {
      heard = listener
    },
  }
}
