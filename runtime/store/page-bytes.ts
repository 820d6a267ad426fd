import type { Entry } from './contract.ts'

/** Entries up to the one with which their values have so many bytes; without a number, all. */
export function upToBytes(entries: readonly Entry[], bytes: number | undefined): readonly Entry[] {
  if (bytes === undefined) return entries
  let sum = 0
  const last = entries.findIndex(({ value }) => {
    sum += value.length
    return sum >= bytes
  })
  return last < 0 ? entries : entries.slice(0, last + 1)
}
