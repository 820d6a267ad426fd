/** The wording of violations. */

/** `"a", "b"`. */
export function quotedList(items: Iterable<string>): string {
  return [...items].map((item) => `"${item}"`).join(', ')
}

/** The singular or plural for a number. */
export function plural(one: string, many: string, count: number): string {
  return count === 1 ? one : many
}

/** `container "a"`, `containers "a", "b"`. */
export function containersNamed(names: readonly string[]): string {
  return `${plural('container', 'containers', names.length)} ${quotedList(names)}`
}

/** `pod and containers "a", "b"`. */
export function podAndContainers(pod: boolean, names: readonly string[]): string {
  return [...(pod ? ['pod'] : []), ...(names.length > 0 ? [containersNamed(names)] : [])].join(
    ' and ',
  )
}

/** The different items, sorted. */
export function sortedUnique(items: Iterable<string>): readonly string[] {
  return [...new Set(items)].sort()
}
