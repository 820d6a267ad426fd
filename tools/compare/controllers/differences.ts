/** What is in one outcome and not in the other. */
import type { Outcome } from './outcome.ts'

/** The lines that differ: those of the reference after `-`, ours after `+`. Writes only where ours are more. */
export function differencesOf(ours: Outcome, reference: Outcome): readonly string[] {
  return [
    ...difference(ours.objects, reference.objects),
    ...difference(ours.events, reference.events),
    ...moreWrites(ours.writes, reference.writes),
  ]
}

function difference(ours: readonly string[], reference: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const line of reference) counts.set(line, (counts.get(line) ?? 0) - 1)
  for (const line of ours) counts.set(line, (counts.get(line) ?? 0) + 1)
  const lines = [...counts].filter(([, count]) => count !== 0)
  return lines
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(
      ([line, count]) =>
        `${count < 0 ? '-' : '+'}${Math.abs(count) > 1 ? `${Math.abs(count)} times ` : ''} ${line}`,
    )
}

function moreWrites(
  ours: ReadonlyMap<string, number>,
  reference: ReadonlyMap<string, number>,
): readonly string[] {
  return [...ours]
    .filter(([what, count]) => count > (reference.get(what) ?? 0) && !what.endsWith('events'))
    .map(
      ([what, count]) =>
        `+ writes: ${what}: ${count}, of the reference ${reference.get(what) ?? 0}`,
    )
    .sort()
}
