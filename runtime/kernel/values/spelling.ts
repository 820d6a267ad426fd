/** `; did you mean "x"?` if one of `names` is similar to `name`, else the empty string. */
export function didYouMean(name: string, names: Iterable<string>): string {
  const found = nearestName(name, names)
  return found === undefined ? '' : `; did you mean "${found}"?`
}

/**
 * The name with the smallest edit distance, if that is at most a third of the length of `name`; else the first that begins
 * with `name`. Of several, the first in alphabetical order.
 */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  let best: string | undefined
  let bound = Math.max(1, Math.floor(name.length / 3)) + 1
  for (const candidate of [...names].sort()) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), bound)
    if (distance < bound) {
      best = candidate
      bound = distance
    }
  }
  const longer =
    name.length < 2 ? undefined : [...names].sort().find((each) => each.startsWith(name))
  return best ?? longer
}

/** The edit distance of Damerau and Levenshtein (a swap of neighbours counts 1), at most `bound`. */
function editDistance(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) >= bound) return bound
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      let cost = Math.min(change, above[j]! + 1, row[j - 1]! + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, before[j - 2]! + 1)
      }
      row.push(cost)
    }
    before = above
    above = row
  }
  return above[b.length]!
}
