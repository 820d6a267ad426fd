import {
  DecodeError,
  decodeLocatedDocuments,
  followPath,
  type LocatedDocument,
  type LocatedValue,
  type TextRange,
} from '../../serializer/serializer.ts'
import type { Finding } from '../rules/finding.ts'
import { finding, type PartFinding } from '../rules/part-finding.ts'
import { type RuleId, rules } from '../rules/rule.ts'

/** A text to check, under the name that findings have for it. */
export interface Source {
  readonly name: string
  readonly text: string | Uint8Array
  /** True for a file that may be something else than objects: without apiVersion and kind in any document it is passed over. */
  readonly mayBeOther?: boolean
}

/** The documents of a source; bytes that are no text are one problem. */
export async function readDocuments({ text }: Source): Promise<{
  readonly documents: readonly LocatedDocument[]
  readonly problem?: PartFinding
}> {
  try {
    return { documents: await decodeLocatedDocuments(text) }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return { documents: [], problem: unreadable('text.encoding', error) }
  }
}

/** The position of what cannot be read is a point. */
function unreadable(rule: RuleId, { why, at }: DecodeError): PartFinding {
  const message = why.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? why
  const place = at && { ...at, offset: -1, end: -1 }
  return { rule, severity: rules[rule].severity, message, ...(place && { at: place }) }
}

/** What is wrong with a document as a text. */
export function textFindings(
  file: string,
  { error, duplicates, problems }: LocatedDocument,
): Finding[] {
  const found = [
    ...duplicates.map(({ key, at, first }) => ({
      ...finding(
        'text.duplicate-key',
        `${key}: stands at line ${first.line} of this mapping, too`,
        at,
      ),
      related: [{ message: 'it stands here first', file, at: first }],
    })),
    ...problems.map(({ why, at }) => finding('text.value', why, at)),
    ...(error === undefined ? [] : [unreadable('text.syntax', error)]),
  ]
  return found.map((each) => ({ ...each, file }))
}

/** The objects of a document: itself, or the items of a List. */
export function objectsIn(root: LocatedValue<TextRange>): readonly LocatedValue<TextRange>[] {
  const kind = followPath(root, 'kind').node
  const items = followPath(root, 'items').node
  const isList = kind.is === 'scalar' && kind.value === 'List' && items.is === 'list'
  return isList ? items.items.flatMap(objectsIn) : [root]
}

/** True if a document states one of the two words that objects have. */
export function holdsObjects(documents: readonly LocatedDocument[]): boolean {
  return documents.some(
    ({ root, error }) =>
      error !== undefined ||
      (root !== undefined &&
        ['apiVersion', 'kind'].some((word) => followPath(root, word).complete)),
  )
}
