/** `12,345 rows`. */
export function countText(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** `12,345`. */
export function numberText(number: number): string {
  return number.toLocaleString('en-US')
}

/** `1.4 MB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let [value, unit] = [Math.abs(bytes), 0]
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000
  const sign = bytes < 0 ? '-' : ''
  return `${sign}${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}
