/** What both views of an event are checked for (supplement U-07); each has words of its own for some fields. */
import { qualifiedNameProblems } from '../kernel/names.ts'
import type { Finding } from '../kernel/read.ts'
import { invalid, problems, required } from './findings.ts'
import type { RuleContext } from './kinds.ts'

/** A field, and the text in it. */
export type Named = readonly [field: string, text: string | undefined]

const longest = 128
const longestNote = 1024

/** An event lives beside the object that it is about; one about an object of the cluster, with the system's. */
export function checkPlace(
  field: string,
  about: string | undefined,
  namespace: string | undefined,
  { platform }: RuleContext,
): readonly Finding[] {
  const allowed = about ? [about] : ['', 'default', `${platform.prefix}-system`]
  if (allowed.includes(namespace ?? '')) return []
  return [invalid(`${field}.namespace`, about ?? '', 'does not match event.namespace')]
}

/** An event that says when it happened says who saw it, what they did and why. */
export function checkReport(
  [reporterField, reporter]: Named,
  texts: readonly Named[],
  [noteField, note = '']: Named,
): readonly Finding[] {
  return [
    ...(reporter
      ? problems(reporterField, reporter, qualifiedNameProblems(reporter))
      : [required(reporterField)]),
    ...texts.flatMap(checkText),
    ...(note.length > longestNote ? [invalid(noteField, '', most(longestNote))] : []),
  ]
}

function checkText([field, text]: Named): readonly Finding[] {
  if (!text) return [required(field)]
  return text.length > longest ? [invalid(field, '', most(longest))] : []
}

function most(characters: number): string {
  return `can have at most ${characters} characters`
}
