/**
 * Compares two schema trees by the deprecation policy of api-server.md, section 9: what a released tree promised, the next
 * one keeps, or has announced long enough before. The folder knows the representation and positions, and neither YAML nor
 * files. Its promises:
 *
 * 1. All breaches at once, each with its rule and its place in both trees; a tree breaks nothing against itself.
 * 2. Ages are counted in releases, from what the trees say about themselves: `release` of the platform file, and the
 *    releases that rows of tables name. A date that nothing states counts as late as it can be.
 * 3. A deprecation is not announced after the fact: what a tree adds may not be dated before the tree it is compared with.
 * 4. What is called alpha may change and go at any time; nothing is said about it.
 */
import {
  type ApiPair,
  type BreakingChange,
  type Comparison,
  sortBreakingChanges,
} from './breaking-change.ts'
import { compareConfig } from './config.ts'
import { compareFlags } from './flags.ts'
import { compareGates } from './gates.ts'
import { compareKinds } from './kinds.ts'
import { compareMetrics } from './metrics.ts'
import { compareRemovals } from './removals.ts'
import { compareRoundTrips } from './round-trips.ts'
import { compareVersions } from './versions.ts'

/** Each has its pairs of a breaking and a safe edit in `test/golden/against`. */
const comparisons: readonly Comparison[] = [
  compareConfig,
  compareFlags,
  compareGates,
  compareKinds,
  compareMetrics,
  compareRemovals,
  compareRoundTrips,
  compareVersions,
]

/** Everything that the tree after breaks of what the tree before promised. */
export function compare(pair: ApiPair): readonly BreakingChange[] {
  const breaches: BreakingChange[] = []
  for (const find of comparisons) find(pair, (breach) => void breaches.push(breach))
  return sortBreakingChanges(breaches)
}
