/** Times as people read them in a column. */

const unknown = '<unknown>'
const minute = 60
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

/** How long ago `time` was: `5m12s`, `3h`, `2d4h`; `<unknown>` for no time, `<invalid>` for one in the future. */
export function since(time: string | null | undefined, now: number): string {
  const at = time ? Date.parse(time) : Number.NaN
  return Number.isNaN(at) ? unknown : formatAge(now - at)
}

/** A length of time in at most two units, the finer one only while it says something. */
export function formatAge(ms: number): string {
  const seconds = Math.trunc(ms / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 2 * minute) return `${seconds}s`
  if (seconds < 10 * minute) return two(seconds, minute, 'm', 1, 's')
  if (seconds < 3 * hour) return one(seconds, minute, 'm')
  if (seconds < 8 * hour) return two(seconds, hour, 'h', minute, 'm')
  if (seconds < 48 * hour) return one(seconds, hour, 'h')
  if (seconds < 8 * day) return two(seconds, day, 'd', hour, 'h')
  if (seconds < 2 * year) return one(seconds, day, 'd')
  if (seconds < 8 * year) return two(seconds, year, 'y', day, 'd')
  return one(seconds, year, 'y')
}

function one(seconds: number, unit: number, letter: string): string {
  return `${Math.floor(seconds / unit)}${letter}`
}

function two(
  seconds: number,
  unit: number,
  letter: string,
  finer: number,
  finerLetter: string,
): string {
  const rest = Math.floor((seconds % unit) / finer)
  return one(seconds, unit, letter) + (rest === 0 ? '' : `${rest}${finerLetter}`)
}
