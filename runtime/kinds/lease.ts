/** The rules of Lease: its schema says them all; the name stays for what a later release may add. */
import type { Rule } from './kinds.ts'

export const lease: Rule = {}
