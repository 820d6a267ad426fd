/** Sets of indexes of a job as ranges in ascending order, as its status has them: `1,3-5`. */

/** The first and the last index of a range. */
export type IndexRange = readonly [first: number, last: number]

/** Ranges in ascending order that neither overlap nor touch. */
export type IndexRanges = readonly IndexRange[]

/** Reads ranges; leaves out indexes from `completions` on and what is no range. */
export function parseIndexes(text: string, completions: number): IndexRanges {
  const ranges: IndexRange[] = []
  for (const part of text === '' ? [] : text.split(',')) {
    const [, first = '', last = first] = /^([0-9]{1,10})(?:-([0-9]{1,10}))?$/.exec(part) ?? []
    if (first === '' || Number(first) >= completions) continue
    ranges.push([Number(first), Math.min(Number(last), completions - 1)])
  }
  return mergeIndexes(ranges, [])
}

/** The text of ranges; two neighbours are no range. */
export function printIndexes(ranges: IndexRanges): string {
  return ranges
    .map(([first, last]) => {
      if (first === last) return `${first}`
      return last === first + 1 ? `${first},${last}` : `${first}-${last}`
    })
    .join(',')
}

/** The indexes of both. */
export function mergeIndexes(one: IndexRanges, other: IndexRanges): IndexRanges {
  const merged: IndexRange[] = []
  for (const range of [...one, ...other].sort(([a], [b]) => a - b)) {
    const before = merged.at(-1)
    if (before === undefined || range[0] > before[1] + 1) merged.push(range)
    else merged[merged.length - 1] = [before[0], Math.max(before[1], range[1])]
  }
  return merged
}

/** The ranges with single indexes added. */
export function withIndexes(ranges: IndexRanges, indexes: Iterable<number>): IndexRanges {
  return mergeIndexes(
    ranges,
    Array.from(indexes, (index) => [index, index] as const),
  )
}

export function countIndexes(ranges: IndexRanges): number {
  return ranges.reduce((count, [first, last]) => count + last - first + 1, 0)
}

export function hasIndex(ranges: IndexRanges, index: number): boolean {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ranges[middle]![1] >= index) high = middle
    else low = middle + 1
  }
  const range = ranges[low]
  return range !== undefined && range[0] <= index
}

/** The lowest indexes below `completions` that are not taken, at most `count` of them. */
export function firstFree(
  taken: IndexRanges,
  count: number,
  completions: number,
): readonly number[] {
  const free: number[] = []
  let next = 0
  for (const [first, last] of [...taken, [completions, completions] as const]) {
    for (; next < Math.min(first, completions) && free.length < count; next++) free.push(next)
    next = Math.max(next, last + 1)
  }
  return free
}
