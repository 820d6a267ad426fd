/** What both views of an event are checked for (supplement U-07); each has words of its own for some fields. */
import { qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import type { StrategyContext } from '../../strategy/context.ts'
import { invalid, invalidAll, required } from '../../types/field-errors.ts'

/** A field, and the text in it. */
export type NamedText = readonly [field: string, text: string | undefined]

const longest = 128
const longestNote = 1024

/** An event lives beside the object that it is about; one about an object of the cluster, with the system's. */
export function checkNamespace(
  field: string,
  about: string | undefined,
  namespace: string | undefined,
  { platform }: StrategyContext,
): readonly FieldError[] {
  const allowed = about ? [about] : ['', 'default', `${platform.prefix}-system`]
  if (allowed.includes(namespace ?? '')) return []
  return [invalid(`${field}.namespace`, about ?? '', 'does not match event.namespace')]
}

/** An event that says when it happened says who saw it, what they did and why. */
export function checkReport(
  [reporterField, reporter]: NamedText,
  texts: readonly NamedText[],
  [noteField, note = '']: NamedText,
): readonly FieldError[] {
  return [
    ...(reporter
      ? invalidAll(reporterField, reporter, qualifiedNameProblems(reporter))
      : [required(reporterField)]),
    ...texts.flatMap(checkText),
    ...(note.length > longestNote ? [invalid(noteField, '', tooLongMessage(longestNote))] : []),
  ]
}

function checkText([field, text]: NamedText): readonly FieldError[] {
  if (!text) return [required(field)]
  return text.length > longest ? [invalid(field, '', tooLongMessage(longest))] : []
}

function tooLongMessage(characters: number): string {
  return `can have at most ${characters} characters`
}
