/** Chaos on three servers and a database with a standby: a minute of it, half an hour with `--real-time`. */
import { runChaos } from '../chaos/chaos.ts'
import type { Report } from './report.ts'

/** Between two faults. */
const restMs = 5000

/** About how long a fault takes until the next one. */
const periodMs = 9300

export async function bench(
  report: Report,
  { realTime = false }: { readonly realTime?: boolean },
): Promise<void> {
  const minutes = realTime ? 30 : 1
  const faults = Math.ceil((minutes * 60_000) / periodMs)
  const result = await runChaos({ faults, restMs, onFault: (text) => console.error(text) })
  for (const problem of result.problems.slice(0, 20)) console.error(problem)
  report('what should never happen', result.problems.length, '', undefined, { atMost: 0 })
  report('faults', faults, '')
  report('seconds', result.seconds, 's')
  report('acknowledged writes', result.acknowledged, '')
  report('writes of which it stayed open whether they landed', result.open, '')
  report('reads', result.reads, '')
  report('lists', result.lists, '')
  report('requests that failed for a time', result.failures, '')
  report('events told to watches', result.events, '')
  report('watches whose history was gone', result.expired, '')
  report('services', result.services, '')
  report('terms of leaders', result.terms, '')
}
