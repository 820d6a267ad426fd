import type { Strategy } from './strategy.ts'

/** Runs every check that the schema of the kind names, in the order of its fields; nothing else. */
export const typeChecks: Strategy = {
  check: (object) => object.visitAll(),
}
