/** The promises of `docs/spec/` and the places that name them by id. */
import { lineOf } from './imports.ts'
import type { Checked } from './release.ts'
import type { Source } from './sources.ts'

/** An entry of the specification. One marked as context explains a word or points elsewhere and needs no test. */
export interface Entry {
  readonly id: string
  readonly text: string
  readonly context: boolean
  readonly path: string
  readonly line: number
}

/** An id that a file names, by itself or as part of a range. */
export interface Citation {
  readonly id: string
  readonly line: number
}

const entry = /^- \*\*([^*]+)\*\* (\(context\) )?(.+)$/

/** The entries of the documents, in order: a line `- **A4.12** text` each. */
export function readEntries(documents: readonly Source[]): readonly Entry[] {
  return documents.flatMap(({ path, text }) =>
    text.split('\n').flatMap((row, at): readonly Entry[] => {
      const match = entry.exec(row)
      if (match === null) return []
      const [, id, context, promise] = match
      return [{ id: id!, text: promise!, context: context !== undefined, path, line: at + 1 }]
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
 * Finds ids that stand for no entry and ids that stand for two. The note counts the promises that no test names, which
 * is no problem by itself.
 */
export function checkSpecification(
  documents: readonly Source[],
  sources: readonly Source[],
): Checked {
  const entries = readEntries(documents)
  const known = new Map(entries.map((one) => [one.id, one]))
  const twice = entries.filter((one) => known.get(one.id) !== one)
  const promises = entries.filter(({ context }) => !context)
  const left = untestedEntries(entries, sources).length
  return {
    problems: [
      ...twice.map(({ id, path, line }) => `${path}:${line}: ${id} stands for another entry, too`),
      ...[...documents, ...sources].flatMap((source) => unknownIn(source, known)),
    ],
    note: `${promises.length} promises, ${left} without a test (node dist/tools/untested.js)`,
  }
}

function unknownIn({ path, text }: Source, known: ReadonlyMap<string, Entry>): readonly string[] {
  return citationsIn(text)
    .filter(({ id }) => !known.has(id))
    .map(({ id, line }) => `${path}:${line}: ${id} is no id of docs/spec`)
}

/** The promises that no file of `test/` names. */
export function untestedEntries(
  entries: readonly Entry[],
  sources: readonly Source[],
): readonly Entry[] {
  const tests = sources.filter(({ path }) => path.startsWith('test/'))
  const named = new Set(tests.flatMap(({ text }) => citationsIn(text).map(({ id }) => id)))
  return entries.filter(({ id, context }) => !context && !named.has(id))
}

/** One line for each section, `A4 70 of 74`, and one for all: how many promises a test names. */
export function testedTable(
  entries: readonly Entry[],
  sources: readonly Source[],
): readonly string[] {
  const left = new Set(untestedEntries(entries, sources))
  const count = (name: string, some: readonly Entry[]) =>
    `${name.padEnd(5)} ${some.filter((one) => !left.has(one)).length} of ${some.length}`
  const promises = entries.filter(({ context }) => !context)
  const sections = new Set(promises.map(({ id }) => sectionOf(id)))
  return [
    ...[...sections].map((section) =>
      count(
        section,
        promises.filter(({ id }) => sectionOf(id) === section),
      ),
    ),
    count('all', promises),
  ]
}

/** `A4` of `A4.12`, `X-` of `X-04`. */
export function sectionOf(id: string): string {
  return id.replace(/\.\d+$|\d+$/, '')
}
