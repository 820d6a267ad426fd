/** Durations as text, as Go prints them: `1h30m`, `250ms`, `-1.5s`. */

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}
const part = /([0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(ns|us|µs|μs|ms|s|m|h)/y

/** Milliseconds. About 292 years: the most that 64-bit nanoseconds can hold. */
const longest = 2 ** 63 / 1e6

/** The milliseconds of a duration; undefined for a text that is no duration, or too long a one. */
export function parseDuration(text: string): number | undefined {
  const negative = text.startsWith('-')
  let at = negative || text.startsWith('+') ? 1 : 0
  if (text.slice(at) === '0') return 0
  if (at === text.length) return undefined
  let total = 0
  while (at < text.length) {
    part.lastIndex = at
    const found = part.exec(text)
    if (found === null) return undefined
    total += Number(found[1]) * units[found[2]!]!
    at = part.lastIndex
  }
  if (total >= longest) return undefined
  return negative ? -total : total
}

/** The canonical text of a duration in milliseconds: `1h30m0s`, `250ms`, `0s`. */
export function printDuration(ms: number): string {
  const sign = ms < 0 ? '-' : ''
  const size = Math.abs(ms)
  if (size === 0) return '0s'
  if (size < 1e-3) return `${sign}${trim(size * 1e6)}ns`
  if (size < 1) return `${sign}${trim(size * 1e3)}µs`
  if (size < 1000) return `${sign}${trim(size)}ms`
  const hours = Math.floor(size / 3_600_000)
  const minutes = Math.floor((size % 3_600_000) / 60_000)
  const head = hours > 0 ? `${hours}h${minutes}m` : minutes > 0 ? `${minutes}m` : ''
  return `${sign}${head}${trim((size % 60_000) / 1000)}s`
}

function trim(value: number): string {
  return String(Number(value.toFixed(9)))
}
