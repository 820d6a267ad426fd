import type { ValueSchema } from '../schema/value-schema.ts'
import type { Typing } from '../text/cursor.ts'
import type { ObjectAt } from '../text/object-at.ts'

/** A place that something is typed at, and what is known of it. */
export interface Position {
  readonly file: string
  readonly typing: Typing
  readonly object: ObjectAt
  /** The schema of the object; absent for a kind that is not known. */
  readonly root: ValueSchema | undefined
  /** Keys and texts are in quotes. */
  readonly isJson: boolean
}

/** What one completion is about. */
export type CompletionKind = 'field' | 'value' | 'kind' | 'name' | 'gate' | 'flag'

/** One thing that may be typed, as the rows of answers make it. */
export interface Item {
  readonly label: string
  readonly is: CompletionKind
  /** What is inserted, with places to fill in. Default: the label, as a scalar. */
  readonly snippet?: string
  readonly detail?: string
  readonly documentation?: string
  readonly isDeprecated?: boolean
}

/** One thing that may be typed, and what typing it changes. */
export interface Completion {
  readonly label: string
  readonly is: CompletionKind
  readonly detail?: string
  readonly documentation?: string
  readonly isDeprecated: boolean
  /** Their order. */
  readonly sort: string
  /** What replaces the text between `start` and `end`: with places to fill in, as `${1:default}`, and without. */
  readonly snippet: string
  readonly plain: string
  readonly start: number
  readonly end: number
}

/** The completion of an item at a place. */
export function toCompletion(item: Item, index: number, position: Position): Completion {
  const { label, is, detail, documentation, isDeprecated = false } = item
  const { start, end, needsSpace } = position.typing
  const given = item.snippet ?? escaped(scalarText(label, position))
  const snippet = `${needsSpace ? ' ' : ''}${given}`
  return {
    ...{ label, is, isDeprecated, start, end, snippet },
    ...(detail !== undefined && { detail }),
    ...(documentation !== undefined && { documentation }),
    sort: `${isDeprecated ? 'z' : 'a'}${String(index).padStart(5, '0')}`,
    plain: plainOf(snippet),
  }
}

/** A text as it stands in the document: in quotes where it would mean something else without. */
export function scalarText(text: string, { isJson }: Pick<Position, 'isJson'>): string {
  if (isJson) return JSON.stringify(text)
  const means = /^(y|n|yes|no|on|off|true|false|null|~|[-+.]?[\d.].*|0x.*)$/i.test(text)
  return means || text === '' || /^[\s#&*!|>'"%@`{}[\],?-]|: |\s#|\s$|:$/.test(text)
    ? JSON.stringify(text)
    : text
}

/** A text in a snippet, where three characters have a meaning. */
export function escaped(text: string): string {
  return text.replace(/[\\$}]/g, '\\$&')
}

/** A snippet without its places, for editors that have none. */
function plainOf(snippet: string): string {
  return snippet
    .replace(
      /\$\{\d+\|((?:[^|\\]|\\.)*)\|\}/g,
      (_, list: string) => /^(?:[^,\\]|\\.)*/.exec(list)?.[0] ?? '',
    )
    .replace(/\$\{\d+:((?:[^}\\]|\\.)*)\}/g, '$1')
    .replace(/\$\{?\d+\}?/g, '')
    .replace(/\\([\\$},|])/g, '$1')
}
