/** Emits what changed since an earlier run, and takes the rest from the output folder. */
import type { Artefact, Specifiers } from '../emit/artefact.ts'
import type { Model } from '../emit/model/model.ts'
import { type ModelQuery, recordingModel } from '../emit/model/recording-model.ts'
import { type Unit, unitsOf } from '../emit/units.ts'
import { digest } from '../print/digest.ts'
import type { CachedArtefact, GeneratorCache, PreviousRun, PreviousUnit } from './cache.ts'
import { type QueryDigests, queryDigests } from './query-digests.ts'

/** A file as it is to be: the text that it has already, or an artefact that is to be printed. */
export type OutputFile =
  | { readonly text: string; readonly digest: string }
  | { readonly artefact: Artefact }

/** The files of a tree, and what the next run may know of how they were made. */
export interface IncrementalOutput {
  readonly files: ReadonlyMap<string, OutputFile>
  /** To be called with the digests of all files, when they are printed. */
  readonly record: (digests: Readonly<Record<string, string>>) => PreviousRun
}

/** The text of a file of the output folder; undefined if there is none. */
export type ReadPresent = (path: string) => string | undefined

/** What a unit queried, its files, and the digest of each artefact. */
interface UnitOutput {
  readonly name: string
  readonly queries: readonly ModelQuery[]
  readonly files: readonly {
    readonly path: string
    readonly artefact: string
    readonly file: OutputFile
  }[]
}

/** The files of a model's tree. A unit whose queries have the results of the earlier run is not emitted again. */
export function emitIncrementally(
  model: Model,
  specifiers: Specifiers,
  { previous: past, digests: known }: Pick<GeneratorCache, 'previous' | 'digests'>,
  present: ReadPresent,
): IncrementalOutput {
  const answers = queryDigests(model, known)
  const questions = past.queries.map(([question]) => question)
  const changed = past.queries.map(([question, before]) => answers.digestOf(question) !== before)
  const outcomes = unitsOf(model).map((unit) => {
    const before = Object.hasOwn(past.units, unit.name) ? past.units[unit.name] : undefined
    const current =
      before !== undefined && !before.queries.some((index) => changed[index] !== false)
    return (
      (current ? reuseUnit(unit, before, questions, present) : undefined) ??
      emitUnit(unit, model, specifiers, before, present)
    )
  })
  const files = outcomes.flatMap((one) => one.files)
  return {
    files: new Map(files.map(({ path, file }) => [path, file])),
    record: (digests) => recordRun(outcomes, answers, digests),
  }
}

/** The unit as it was; undefined if one of its files was edited or removed since. */
function reuseUnit(
  { name }: Unit,
  { queries: asked, artefacts: files }: PreviousUnit,
  questions: readonly ModelQuery[],
  present: ReadPresent,
): UnitOutput | undefined {
  const kept = files.flatMap((one) => {
    const text = unchangedText(one, present)
    return text === undefined ? [] : [{ ...one, file: { text, digest: one.text } }]
  })
  if (kept.length < files.length) return undefined
  return { name, queries: asked.map((index) => questions[index] as ModelQuery), files: kept }
}

/** The unit emitted; an artefact that is as it was before is not printed again. */
function emitUnit(
  { name, emit }: Unit,
  model: Model,
  specifiers: Specifiers,
  before: PreviousUnit | undefined,
  present: ReadPresent,
): UnitOutput {
  const asked = new Map<string, ModelQuery>()
  const noting = recordingModel(model, (question) => asked.set(question.join('\n'), question))
  const files = emit(noting, specifiers).map((artefact) => {
    const { path } = artefact
    const mark = digest(JSON.stringify(artefact))
    const old = before?.artefacts.find((one) => one.path === path && one.artefact === mark)
    const text = old && unchangedText(old, present)
    const file = text === undefined ? { artefact } : { text, digest: old?.text ?? '' }
    return { path, artefact: mark, file }
  })
  return { name, queries: [...asked.values()], files }
}

/** The text of a file, if it is the one that an earlier run wrote. */
function unchangedText({ path, text }: CachedArtefact, present: ReadPresent): string | undefined {
  const found = present(path)
  return found !== undefined && digest(found) === text ? found : undefined
}

/** What the next run needs: each query once, with the digest of its result. */
function recordRun(
  outcomes: readonly UnitOutput[],
  answers: QueryDigests,
  digests: Readonly<Record<string, string>>,
): PreviousRun {
  const numbers = new Map<string, number>()
  const questions: [ModelQuery, string][] = []
  const numberOf = (question: ModelQuery): number => {
    const key = question.join('\n')
    const known = numbers.get(key) ?? questions.push([question, answers.digestOf(question)]) - 1
    numbers.set(key, known)
    return known
  }
  const units = outcomes.map(({ name, queries: asked, files }): [string, PreviousUnit] => {
    const made = files.map(({ path, artefact }) => ({ path, artefact, text: digests[path] ?? '' }))
    return [name, { queries: asked.map(numberOf), artefacts: made }]
  })
  return { queries: questions, units: Object.fromEntries(units) }
}
