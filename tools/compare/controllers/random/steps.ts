/** Histories of operations that may be refused. */
import { Random } from '../../random.ts'
import type { Cluster } from '../cluster.ts'
import { type Operation, type Pace, playOperations } from './operations.ts'

export type { Operation } from './operations.ts'

/**
 * Plays so many of the operations, the first and each next one when controllers have come to rest. One that is refused is a step, too: what draws next does
 * not depend on how far it came.
 */
export async function playSome(
  cluster: Cluster,
  random: Random,
  { steps, ...pace }: { readonly steps: number } & Pick<Pace, 'quietMs'>,
  operations: readonly Operation[],
): Promise<void> {
  const forgiving = operations.map(
    (operation): Operation =>
      (one, drawing) =>
        operation(one, new Random(drawing.below(2 ** 32))).catch(() => {}),
  )
  await cluster.settled(pace.quietMs)
  await playOperations(cluster, random, forgiving, { steps: [steps, steps], ...pace })
}
