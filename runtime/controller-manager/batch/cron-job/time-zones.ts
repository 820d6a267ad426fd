/** Time zones by their names in the zone database. */

/** The zones that were asked for lately. */
const formats = new Map<string, Intl.DateTimeFormat>()
const mostFormats = 64

/** Milliseconds by which clocks of a zone are ahead of UTC at a time. @throws RangeError for a zone that is not known. */
export function offsetOf(zone: string, time: number): number {
  if (zone === 'UTC') return 0
  const parts = formatOf(zone).formatToParts(time)
  const value = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const minutes = Date.UTC(
    ...([value('year'), value('month') - 1, value('day')] as const),
    ...([value('hour'), value('minute'), value('second')] as const),
  )
  return minutes - Math.floor(time / 1000) * 1000
}

/** True for a zone that is known. */
export function isKnownZone(zone: string): boolean {
  try {
    return formatOf(zone) !== undefined
  } catch {
    return false
  }
}

/** The zone of this machine. */
export function ownZone(): string {
  return new Intl.DateTimeFormat('en').resolvedOptions().timeZone
}

/** A time as RFC 3339 has it, in a zone. */
export function zonedTimestamp(zone: string, time: number): string {
  const offset = offsetOf(zone, time)
  const text = new Date(time + offset).toISOString().slice(0, 19)
  if (offset === 0) return `${text}Z`
  const minutes = Math.abs(Math.round(offset / 60_000))
  const two = (value: number) => String(value).padStart(2, '0')
  return `${text}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const numeric = 'numeric'
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, hourCycle: 'h23', calendar: 'gregory' },
    ...{ year: numeric, month: numeric, day: numeric },
    ...{ hour: numeric, minute: numeric, second: numeric },
  })
  if (formats.size >= mostFormats) formats.delete(formats.keys().next().value ?? '')
  formats.set(zone, format)
  return format
}
