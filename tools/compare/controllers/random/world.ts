/** What a world of histories is. */
import type { Random } from '../../random.ts'
import type { Cluster } from '../cluster.ts'

/** A part of the API with operations that a history of it is made of. */
export interface World {
  /** Part of the names of its namespaces. */
  readonly name: string
  /**
   * Plays one history in the namespace of the cluster: operations drawn from `random`, with `cluster.settled()` between them. What is
   * drawn never depends on what the controllers did, so that a seed is the same history under each of them.
   */
  play(cluster: Cluster, random: Random): Promise<void>
}
