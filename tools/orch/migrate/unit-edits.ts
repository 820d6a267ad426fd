/** Takes words out of a command of a unit; every other byte stays, but for backslashes that nothing follows any more. */
import type { TextEdit } from '../../../runtime/validate/validate.ts'
import type { UnitCommand, UnitLine, UnitWord } from './unit-file.ts'

/** The changes that take the words out. */
export function withoutWords(
  text: string,
  command: UnitCommand,
  removed: ReadonlySet<UnitWord>,
): readonly TextEdit[] {
  const { lines, words } = command
  const last = (words.findLast((one) => !removed.has(one)) as UnitWord).end
  const edits: TextEdit[] = []
  const gone = new Set(linesThatGo(command, removed).flatMap(({ line, above }) => [line, ...above]))
  for (const line of lines) {
    const own = wordsOf(line, words)
    const isEmpty = own.length === 0 && line.start >= last && !line.isComment
    if (gone.has(line) || isEmpty) {
      edits.push({ start: line.start, end: line.end, text: '' })
      continue
    }
    for (const { start, end } of own.filter((one) => removed.has(one))) {
      edits.push({ start: spaceBefore(text, start, line), end, text: '' })
    }
    const { continued } = line
    if (continued !== undefined && line.start < last && last <= continued) {
      edits.push({ start: spaceBefore(text, continued, line), end: continued + 1, text: '' })
    }
  }
  return joined(edits)
}

/** A line of which every word is taken out, and the comments right above it, which are about it. */
export interface LineThatGoes {
  readonly line: UnitLine
  readonly words: readonly UnitWord[]
  readonly above: readonly UnitLine[]
}

/** These lines. The one with the program stays. */
export function linesThatGo(
  { lines, words }: UnitCommand,
  removed: ReadonlySet<UnitWord>,
): readonly LineThatGoes[] {
  return lines.flatMap((line, index) => {
    const own = wordsOf(line, words)
    if (index === 0 || own.length === 0 || !own.every((one) => removed.has(one))) return []
    const from = lines.findLastIndex(({ isComment }, at) => at < index && !isComment) + 1
    return [{ line, words: own, above: lines.slice(from, index) }]
  })
}

function wordsOf({ start, end }: UnitLine, words: readonly UnitWord[]): readonly UnitWord[] {
  return words.filter((one) => start <= one.start && one.start < end)
}

/** Where the blanks before a place begin. */
function spaceBefore(text: string, at: number, { start }: UnitLine): number {
  let from = at
  while (from > start && /[ \t]/.test(text[from - 1] as string)) from--
  return from
}

/** Changes that touch each other are one. */
function joined(edits: readonly TextEdit[]): readonly TextEdit[] {
  const done: TextEdit[] = []
  for (const edit of edits) {
    const before = done.at(-1)
    if (before === undefined || before.end < edit.start) done.push(edit)
    else done[done.length - 1] = { ...before, end: Math.max(before.end, edit.end) }
  }
  return done
}
