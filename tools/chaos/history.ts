/** What happened to the objects of a run, and whether it can have. */

/** One request about one key, as its client saw it. Times are of one clock. */
export interface Operation {
  readonly key: string
  readonly kind: 'read' | 'write'
  readonly began: number
  readonly ended: number
  /** What a write wrote, or a read saw; no two writes have the same. */
  readonly value: string
  /** The revision that the answer told; undefined for a write of which it is open whether it took effect. */
  readonly revision: number | undefined
}

/** A revision of a key, as the database has it. */
export interface LogRow {
  readonly revision: number
  readonly key: string
  readonly value: string
}

/** All keys at once, as one answer told them. */
export interface ListedKeys {
  readonly revision: number
  readonly items: readonly LogRow[]
}

/** What one watch without a break told, after the revision that it began at. */
export interface WatchSegment {
  readonly server: string
  readonly after: number
  readonly events: readonly LogRow[]
}

/**
 * What is wrong with a history; nothing where it is linearizable. Revisions are the order of the writes: it has to be that of the log, to
 * agree with the order in which requests followed each other, and to have every write that was acknowledged, none twice.
 */
export function judgeHistory(
  operations: readonly Operation[],
  log: readonly LogRow[],
): readonly string[] {
  const rows = new Map(log.map((row) => [`${row.key} ${row.revision}`, row.value]))
  const problems: string[] = []
  const values = new Set<string>()
  for (const { key, value } of log) {
    if (values.has(`${key} ${value}`)) problems.push(`${value} of ${key} was written twice`)
    values.add(`${key} ${value}`)
  }
  const writeBegan = new Map<string, number>()
  for (const { kind, key, value, began } of operations) {
    if (kind === 'write') writeBegan.set(`${key} ${value}`, began)
  }
  for (const one of operations) {
    const { kind, key, value, revision, ended } = one
    if (revision === undefined) continue
    const stored = rows.get(`${key} ${revision}`)
    if (stored !== value) {
      problems.push(`${kind} of ${key} at ${revision} was ${value}, the log has ${stored}`)
    }
    if ((writeBegan.get(`${key} ${value}`) ?? 0) > ended) {
      problems.push(`${value} of ${key} was read before it was written`)
    }
  }
  for (const key of new Set(operations.map((one) => one.key))) {
    problems.push(...judgeOrder(operations.filter((one) => one.key === key)))
  }
  return problems
}

/** Of two requests of which one ended before the other began, the later one sees no older revision, and writes a newer one. */
function judgeOrder(operations: readonly Operation[]): readonly string[] {
  const known = operations.filter(({ revision }) => revision !== undefined)
  const byBegin = [...known].sort((a, b) => a.began - b.began)
  const byEnd = [...known].sort((a, b) => a.ended - b.ended)
  const problems: string[] = []
  let [greatest, next] = [0, 0]
  for (const { key, kind, began, revision = 0 } of byBegin) {
    for (let end = byEnd[next]; end !== undefined && end.ended < began; end = byEnd[++next]) {
      greatest = Math.max(greatest, end.revision ?? 0)
    }
    if (revision < greatest || (kind === 'write' && revision === greatest)) {
      problems.push(`${kind} of ${key} at ${revision} came after ${greatest} was known`)
    }
  }
  return problems
}

/** What is wrong with lists: each has to be what the log had at its revision. The log is in the order of its revisions. */
export function judgeLists(
  lists: readonly ListedKeys[],
  log: readonly LogRow[],
): readonly string[] {
  const problems: string[] = []
  const latest = new Map<string, number>()
  let next = 0
  for (const { revision, items } of [...lists].sort((a, b) => a.revision - b.revision)) {
    for (let row = log[next]; row !== undefined && row.revision <= revision; row = log[++next]) {
      latest.set(row.key, row.revision)
    }
    const told = new Map(items.map((item) => [item.key, item.revision]))
    for (const key of new Set([...latest.keys(), ...told.keys()])) {
      const [has, due] = [told.get(key), latest.get(key)]
      if (has !== due)
        problems.push(`a list at ${revision} has ${key} at ${has}, the log at ${due}`)
    }
  }
  return problems
}

/** What is wrong with what watches told: each has to tell every change of the log after its beginning, once and in order. */
export function judgeWatches(
  segments: readonly WatchSegment[],
  log: readonly LogRow[],
): readonly string[] {
  const problems: string[] = []
  for (const { server, after, events } of segments) {
    const last = events.at(-1)?.revision ?? after
    const due = log.filter(({ revision }) => revision > after && revision <= last)
    const [told, expected] = [events, due].map((rows) =>
      rows.map(({ revision, key, value }) => `${revision} ${key} ${value}`),
    ) as [string[], string[]]
    const at = expected.findIndex((line, index) => line !== told[index])
    if (at >= 0 || told.length > expected.length) {
      const index = at < 0 ? expected.length : at
      problems.push(
        `a watch at ${server} after ${after}: told ${told[index]}, due ${expected[index]}`,
      )
    }
  }
  return problems
}

/** A time in which a candidate believed to lead. */
export interface Leadership {
  readonly who: string
  readonly began: number
  readonly ended: number
}

/** What is wrong with who led: no two at once. */
export function judgeLeaders(terms: readonly Leadership[]): readonly string[] {
  const sorted = [...terms].sort((a, b) => a.began - b.began)
  return sorted.flatMap((term, index) => {
    const before = sorted[index - 1]
    if (before === undefined || before.ended <= term.began) return []
    return [`${term.who} led from ${term.began}, ${before.who} until ${before.ended}`]
  })
}

/** What stands twice in a list. */
export function judgeUnique(what: string, values: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  return values.flatMap((value) => {
    if (seen.has(value)) return [`${what} ${value} is given twice`]
    seen.add(value)
    return []
  })
}
