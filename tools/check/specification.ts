/** The promises of `docs/spec/` and the places that name them by id. */
import { lineOf } from './imports.ts'
import type { Checked } from './release.ts'
import type { Source } from './sources.ts'

/** What an entry that promises nothing yet is: an explanation, or a promise of a later release. */
type Mark = 'context' | 'planned'

/** An entry of the specification. */
export interface Entry {
  readonly id: string
  readonly text: string
  /** Absent for a promise that holds, which needs a test. */
  readonly mark?: Mark
  readonly path: string
  readonly line: number
}

/** An id that a file names, by itself or as part of a range. */
export interface Citation {
  readonly id: string
  readonly line: number
}

/** A line of a document that states a promise, or context. */
const entry = /^- \*\*([^*]+)\*\* (?:\((context|planned)\) )?(.+)$/

/** The entries of the documents, in order: a line `- **A4.12** text` each. */
export function readEntries(documents: readonly Source[]): readonly Entry[] {
  return documents.flatMap(({ path, text }) =>
    text.split('\n').flatMap((row, at): readonly Entry[] => {
      const match = entry.exec(row)
      if (match === null) return []
      const [, id, mark, promise] = match
      const known = mark !== undefined && { mark: mark as Mark }
      return [{ id: id!, text: promise!, ...known, path, line: at + 1 }]
    }),
  )
}

/** `A4.12` and `X-04`, but no part of a longer word, number or date; a range continues with `-`, an en dash or `to`. */
const cited =
  /(?<![\w.-])(?:([AD]\d)\.(\d+)(?:\s*(?:-|–|to)\s*([AD]\d)\.(\d+))?|(CL|[A-Z])-(\d\d)(?:\s*(?:-|–|to)\s*(CL|[A-Z])-(\d\d))?)(?!\w)/g

/** Every id that a text names, each member of a range by itself. The ends of a range across sections are two ids. */
export function citationsIn(text: string): readonly Citation[] {
  return [...text.matchAll(cited)].flatMap((match) => {
    const line = lineOf(text, match.index)
    return idsOf(match).map((id) => ({ id, line }))
  })
}

/** The ids of one match: one, both ends, or all between them. */
function idsOf(match: RegExpMatchArray): readonly string[] {
  const dotted = match[1] !== undefined
  const [section, from, last, to] = match.slice(dotted ? 1 : 5)
  const id = (of: string, n: number) =>
    dotted ? `${of}.${n}` : `${of}-${String(n).padStart(2, '0')}`
  const first = Number(from)
  if (last === undefined) return [id(section!, first)]
  if (last !== section || Number(to) < first) return [id(section!, first), id(last, Number(to))]
  return Array.from({ length: Number(to) - first + 1 }, (_, at) => id(section!, first + at))
}

/**
 * Finds ids that stand for no entry, ids that stand for two, promises that no test names, and planned ones that a test does
 * name. The note counts the promises.
 */
export function checkSpecification(
  documents: readonly Source[],
  sources: readonly Source[],
): Checked {
  const entries = readEntries(documents)
  const known = new Map(entries.map((one) => [one.id, one]))
  const tested = testedIds(sources)
  return {
    problems: [
      ...entries.flatMap((one) => problemOf(one, known.get(one.id) !== one, tested)),
      ...[...documents, ...sources].flatMap((source) => unknownIn(source, known)),
    ],
    note: `${entries.filter(isPromise).length} promises, ${entries.filter(isPlanned).length} planned`,
  }
}

/** What is wrong with one entry, of which a test does or does not know. */
function problemOf(
  entry: Entry,
  isRepeated: boolean,
  tested: ReadonlySet<string>,
): readonly string[] {
  const { id, path, line } = entry
  const at = `${path}:${line}: ${id}`
  if (isRepeated) return [`${at} stands for another entry, too`]
  if (isPromise(entry) && !tested.has(id)) return [`${at} has no test that names it`]
  if (isPlanned(entry) && tested.has(id)) return [`${at} is planned, and a test names it`]
  return []
}

/** True for what holds today. */
function isPromise({ mark }: Entry): boolean {
  return mark === undefined
}

/** True for what a later release is to keep. */
function isPlanned({ mark }: Entry): boolean {
  return mark === 'planned'
}

/** A line for each id that has no entry. */
function unknownIn({ path, text }: Source, known: ReadonlyMap<string, Entry>): readonly string[] {
  return citationsIn(text)
    .filter(({ id }) => !known.has(id))
    .map(({ id, line }) => `${path}:${line}: ${id} is no id of docs/spec`)
}

/** The promises that no file of `test/` names, those that are planned among them. */
export function untestedEntries(
  entries: readonly Entry[],
  sources: readonly Source[],
): readonly Entry[] {
  const tested = testedIds(sources)
  return entries.filter(({ id, mark }) => mark !== 'context' && !tested.has(id))
}

/** The ids that tests name. */
function testedIds(sources: readonly Source[]): ReadonlySet<string> {
  const tests = sources.filter(({ path }) => path.startsWith('test/'))
  return new Set(tests.flatMap(({ text }) => citationsIn(text).map(({ id }) => id)))
}

/** One line for each section, `A4 70 of 74, 3 planned`, and one for all: how many promises a test names. */
export function testedTable(
  entries: readonly Entry[],
  sources: readonly Source[],
): readonly string[] {
  const left = new Set(untestedEntries(entries, sources))
  const count = (name: string, some: readonly Entry[]) => {
    const promises = some.filter(isPromise)
    const planned = some.filter(isPlanned).length
    const tested = promises.filter((one) => !left.has(one)).length
    const rest = planned === 0 ? '' : `, ${planned} planned`
    return `${name.padEnd(5)} ${tested} of ${promises.length}${rest}`
  }
  const counted = entries.filter(({ mark }) => mark !== 'context')
  const sections = new Set(counted.map(({ id }) => sectionOf(id)))
  return [
    ...[...sections].map((section) =>
      count(
        section,
        counted.filter(({ id }) => sectionOf(id) === section),
      ),
    ),
    count('all', counted),
  ]
}

/** `A4` of `A4.12`, `X-` of `X-04`. */
export function sectionOf(id: string): string {
  return id.replace(/\.\d+$|\d+$/, '')
}
