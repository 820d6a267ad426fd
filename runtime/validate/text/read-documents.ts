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
import { isOfOtherTool } from './other-tools.ts'

/** A text to check, under the name that findings have for it. */
export interface Source {
  readonly name: string
  readonly text: string | Uint8Array
  /** True for a file that may be something else than objects: without apiVersion and kind in any document it is passed over. */
  readonly mayBeOther?: boolean
}

/** A text without its byte-order mark. */
export function textOf({ text }: Pick<Source, 'text'>): string {
  const whole = typeof text === 'string' ? text : viewOf(text).toString()
  return whole.replace(/^\uFEFF/, '')
}

/** True for a source with one of some words; bytes are searched as they are. */
export function hasWord({ text }: Pick<Source, 'text'>, words: readonly string[]): boolean {
  const searched = typeof text === 'string' ? text : viewOf(text)
  return words.some((word) => searched.includes(word))
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
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
  { error, duplicates, problems, unportable }: LocatedDocument,
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
    ...unportable.map(({ why, at }) => finding('text.portable', why, at)),
    ...(error === undefined ? [] : [unreadable('text.syntax', error)]),
  ]
  return found.map((each) => ({ ...each, file }))
}

/** The objects of a document: none of null, itself, or the items of a list, which leave out what the list says of all of them. */
export function objectsIn(root: LocatedValue<TextRange>): readonly LocatedValue<TextRange>[] {
  if (root.is === 'scalar' && root.value === null) return []
  const kind = followPath(root, 'kind').node
  const items = followPath(root, 'items').node
  const word = kind.is === 'scalar' && typeof kind.value === 'string' ? kind.value : ''
  if (!word.endsWith('List') || items.is !== 'list') return [root]
  if (word === 'List') return items.items.flatMap(objectsIn)
  const apiVersion = followPath(root, 'apiVersion').node
  const itemKind = { ...kind, value: word.slice(0, -'List'.length) } as LocatedValue<TextRange>
  return items.items.flatMap((item) => objectsIn(withType(item, apiVersion, itemKind)))
}

/** An item that states neither word is of the version and kind of its list. */
function withType(
  item: LocatedValue<TextRange>,
  apiVersion: LocatedValue<TextRange>,
  kind: LocatedValue<TextRange>,
): LocatedValue<TextRange> {
  if (item.is !== 'map' || states(item, 'apiVersion') || states(item, 'kind')) return item
  const words = Object.entries({ apiVersion, kind })
  const typed = words.map(([key, value]) => ({ key, keyAt: value.at, value }))
  return { ...item, entries: [...typed, ...item.entries] }
}

/** True if a document is an object, or wants to be one: it states a version and a kind, or one of them and what objects have. */
export function holdsObjects(documents: readonly LocatedDocument[]): boolean {
  return documents.some(
    ({ root, error }) => error !== undefined || (root !== undefined && mayBeObject(root)),
  )
}

function mayBeObject(root: LocatedValue<TextRange>): boolean {
  const words = ['apiVersion', 'kind'].filter((word) => states(root, word))
  if (words.length === 2) {
    const { node } = followPath(root, 'apiVersion')
    return !(node.is === 'scalar' && typeof node.value === 'string' && isOfOtherTool(node.value))
  }
  return words.length === 1 && (states(root, 'metadata') || states(root, 'spec'))
}

function states(root: LocatedValue<TextRange>, key: string): boolean {
  return followPath(root, key).complete
}
