/** The expressions that a document holds. */

const keys: ReadonlySet<string> = new Set([
  'expression',
  'messageExpression',
  'rule',
  'valueExpression',
])

/** The texts of all expressions anywhere in a document: an update may keep what it finds there. */
export function expressionsIn(document: unknown): ReadonlySet<string> {
  const found = new Set<string>()
  const open: unknown[] = [document]
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (typeof part !== 'object' || part === null) continue
    for (const [key, value] of Object.entries(part)) {
      if (typeof value === 'object' && value !== null) open.push(value)
      else if (typeof value === 'string' && keys.has(key)) found.add(value)
    }
  }
  return found
}
