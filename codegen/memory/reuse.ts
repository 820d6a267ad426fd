/** Makes what has changed since an earlier run, and takes the rest from the output. */
import type { Artefact, Specifiers } from '../emit/artefact.ts'
import type { Model } from '../emit/model.ts'
import { type Question, recorded } from '../emit/recorded.ts'
import { type Unit, unitsOf } from '../emit/units.ts'
import { digest } from '../print/digest.ts'
import { type Answers, answersOf } from './answers.ts'
import type { Made, Memory, Past, PastUnit } from './memory.ts'

/** A file as it is to be: the text that it has already, or what is to be printed. */
export type File =
  | { readonly text: string; readonly digest: string }
  | { readonly artefact: Artefact }

/** What a tree consists of, by path, and what the next run may know of how it came about. */
export interface Making {
  readonly files: ReadonlyMap<string, File>
  /** To be called with the digests of all files. */
  readonly past: (digests: Readonly<Record<string, string>>) => Past
}

/** The text of a file of the output as it is now. */
export type Present = (path: string) => string | undefined

/** A unit's files, what it asked, and the digests of what it gave. */
interface Outcome {
  readonly name: string
  readonly asked: readonly Question[]
  readonly files: readonly {
    readonly path: string
    readonly artefact: string
    readonly file: File
  }[]
}

/** The files of a model's tree: those that nothing concerns which changed are not made again. */
export function remake(
  model: Model,
  specifiers: Specifiers,
  { past, digests: known }: Pick<Memory, 'past' | 'digests'>,
  present: Present,
): Making {
  const answers = answersOf(model, known)
  const questions = past.questions.map(([question]) => question)
  const changed = past.questions.map(([question, before]) => answers.digestOf(question) !== before)
  const outcomes = unitsOf(model).map((unit) => {
    const before = Object.hasOwn(past.units, unit.name) ? past.units[unit.name] : undefined
    const current = before !== undefined && !before.asked.some((index) => changed[index] !== false)
    return (
      (current ? unchanged(unit, before, questions, present) : undefined) ??
      made(unit, model, specifiers, before, present)
    )
  })
  const files = outcomes.flatMap((one) => one.files)
  return {
    files: new Map(files.map(({ path, file }) => [path, file])),
    past: (digests) => pastOf(outcomes, answers, digests),
  }
}

/** The unit as it was; undefined if somebody touched a file of it. */
function unchanged(
  { name }: Unit,
  { asked, made: files }: PastUnit,
  questions: readonly Question[],
  present: Present,
): Outcome | undefined {
  const kept = files.flatMap((one) => {
    const text = textOf(one, present)
    return text === undefined ? [] : [{ ...one, file: { text, digest: one.text } }]
  })
  if (kept.length < files.length) return undefined
  return { name, asked: asked.map((index) => questions[index] as Question), files: kept }
}

/** The unit made anew; what comes out as it was before is not printed again. */
function made(
  { name, emit }: Unit,
  model: Model,
  specifiers: Specifiers,
  before: PastUnit | undefined,
  present: Present,
): Outcome {
  const asked = new Map<string, Question>()
  const noting = recorded(model, (question) => asked.set(question.join('\n'), question))
  const files = emit(noting, specifiers).map((artefact) => {
    const { path } = artefact
    const mark = digest(JSON.stringify(artefact))
    const old = before?.made.find((one) => one.path === path && one.artefact === mark)
    const text = old && textOf(old, present)
    const file = text === undefined ? { artefact } : { text, digest: old?.text ?? '' }
    return { path, artefact: mark, file }
  })
  return { name, asked: [...asked.values()], files }
}

function textOf({ path, text }: Made, present: Present): string | undefined {
  const found = present(path)
  return found !== undefined && digest(found) === text ? found : undefined
}

function pastOf(
  outcomes: readonly Outcome[],
  answers: Answers,
  digests: Readonly<Record<string, string>>,
): Past {
  const numbers = new Map<string, number>()
  const questions: [Question, string][] = []
  const numberOf = (question: Question): number => {
    const key = question.join('\n')
    const known = numbers.get(key) ?? questions.push([question, answers.digestOf(question)]) - 1
    numbers.set(key, known)
    return known
  }
  const units = outcomes.map(({ name, asked, files }): [string, PastUnit] => {
    const made = files.map(({ path, artefact }) => ({ path, artefact, text: digests[path] ?? '' }))
    return [name, { asked: asked.map(numberOf), made }]
  })
  return { questions, units: Object.fromEntries(units) }
}
