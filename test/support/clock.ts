import { type VirtualClock, virtualClock } from '../../runtime/testing/virtual-clock.ts'

/** The virtual clock of the testing kit. */
export type FakeClock = VirtualClock

/** A clock that moves only when told, from the beginning of time on unless told otherwise. */
export const fakeClock = (start = 0): FakeClock => virtualClock(start)
