/** The rules of Lease: its schema says them all; the name stays for what a later release may add. */
import type { Strategy } from '../strategy/strategy.ts'

export const lease: Strategy = {}
