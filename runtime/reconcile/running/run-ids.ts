import type { Random } from '../../kernel/async/clock.ts'

/** Gives the ids of runs, which all log lines of one have in common: a part by chance tells processes apart, a count the runs. */
export function createRunIds(random: Random): () => string {
  const part = Math.floor(random() * 36 ** 5).toString(36)
  let runs = 0
  return () => {
    runs += 1
    return `${part}-${runs.toString(36)}`
  }
}
