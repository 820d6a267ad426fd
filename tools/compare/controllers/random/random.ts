/** Scenarios that are drawn from a seed. */
import { Random, seedOf } from '../../random.ts'
import type { ControllerScenario } from '../scenarios/shapes.ts'
import { worlds } from './worlds.ts'

/** What `--random SEED[:COUNT]` asks for: so many histories of each world, 10 without a number, by their names. */
export function randomScenarios(asked: string): ReadonlyMap<string, ControllerScenario> {
  const [, seed, count = '10'] = /^(\d{1,9})(?::(\d{1,5}))?$/.exec(asked) ?? []
  if (seed === undefined) throw new Error(`--random must be SEED or SEED:COUNT, not ${asked}`)
  const indexes = Array.from({ length: Number(count) }, (_, index) => index)
  return new Map(
    indexes.flatMap((index) =>
      worlds.map(({ name, play }) => [
        `s-${name}-r${seed}-${index}`,
        (cluster) => play(cluster, new Random(seedOf(name, Number(seed), index))),
      ]),
    ),
  )
}
