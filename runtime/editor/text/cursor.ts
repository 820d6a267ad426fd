/** What stands at a place of a text, or would if something were typed there. */
import { outlineOf } from './outline.ts'
import type {
  OutlineDocument,
  OutlineEntry,
  OutlineItem,
  OutlineList,
  OutlineMap,
  OutlineNode,
  OutlineScalar,
} from './outline-nodes.ts'

/** A step from a value to a part of it: a key, or the index of an item. */
export type Step = string | number

/** A key or a value at a place. */
export interface Spot {
  readonly document: OutlineDocument
  /** The way to the value, or to the value of the key. */
  readonly path: readonly Step[]
  readonly is: 'key' | 'value'
  /** The map or list that it is in; absent for the value of a whole document. */
  readonly around?: OutlineMap | OutlineList
  readonly entry?: OutlineEntry
  readonly item?: OutlineItem
  /** The value itself; absent for a key. */
  readonly scalar?: OutlineScalar
  readonly start: number
  readonly end: number
}

/** What stands at the offset: a key, or a scalar; undefined between them. */
export function spotAt(documents: readonly OutlineDocument[], offset: number): Spot | undefined {
  const document = documents.findLast(({ start }) => start <= offset) ?? documents[0]
  return document?.value && spotIn(document, document.value, [], offset, undefined)
}

type Holder = Pick<Spot, 'around' | 'entry' | 'item'> | undefined

function spotIn(
  document: OutlineDocument,
  node: OutlineNode,
  path: readonly Step[],
  offset: number,
  holder: Holder,
): Spot | undefined {
  if (node.is === 'scalar') {
    if (offset < node.start || offset > node.end) return undefined
    const { start, end } = node
    return { document, path, is: 'value', scalar: node, start, end, ...holder }
  }
  if (node.is === 'list') {
    const index = node.items.findLastIndex(({ start }) => start <= offset)
    const item = node.items[index]
    if (item?.value === undefined) return undefined
    return spotIn(document, item.value, [...path, index], offset, { item, around: node })
  }
  const entry = node.entries.findLast(({ start }) => start <= offset)
  if (entry === undefined) return undefined
  const { key, start, keyEnd: end, value } = entry
  const below = [...path, key]
  if (offset <= end) return { document, path: below, is: 'key', around: node, entry, start, end }
  return value && spotIn(document, value, below, offset, { entry, around: node })
}

/** A place where something is being typed. */
export interface Typing {
  /** Where nothing has been typed yet it is about a text with a letter at that place. */
  readonly spot: Spot
  /** What is there of it up to the place. */
  readonly word: string
  /** What is replaced. */
  readonly start: number
  readonly end: number
  /** True if it stands right behind a colon, so that a space is missing. */
  readonly needsSpace: boolean
  /** True if nothing but white space and dashes stand before it on its line. */
  readonly isFirst: boolean
  /** The column where it begins, and how deep the line is. */
  readonly column: number
  readonly indent: number
}

/** Stands where nothing has been typed yet, so that the outline has a word there. */
const stand = 'x'

/** What may be typed at the offset. Undefined in comments, in the lines of a block of text, and behind what is whole. */
export function typingAt(text: string, offset: number): Typing | undefined {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  const before = text.slice(lineStart, offset)
  if (/(^|\s)#/.test(before)) return undefined
  const needsSpace = /[^\s"'{[,]:$/.test(before) || /["']:$/.test(before)
  const isEmpty =
    !/[^\s,[\]{}:]$/.test(before) && !/^[^\s,[\]{}:#]/.test(text.slice(offset, offset + 1))
  const isDash = /^\s*(-\s+)*-$/.test(before)
  const filler = isEmpty || needsSpace || isDash ? `${needsSpace || isDash ? ' ' : ''}${stand}` : ''
  const filled = filler === '' ? text : text.slice(0, offset) + filler + text.slice(offset)
  const at = offset + Math.max(0, filler.length - 1)
  const spot = spotAt(outlineOf(filled), at)
  if (spot === undefined || spot.scalar?.style === 'block') return undefined
  const [start, end] = filler === '' ? [spot.start, spot.end] : [offset, offset]
  if (start < lineStart || start > offset) return undefined
  const head = text.slice(lineStart, start)
  const indent = width(/^\s*/.exec(head)?.[0] ?? '')
  return {
    spot,
    word: text.slice(start, offset).replace(/^["']/, ''),
    ...{ start, end, needsSpace: needsSpace || isDash },
    isFirst: /^\s*(-\s+)*$/.test(head) && !isDash,
    column: width(head),
    indent,
  }
}

/** The columns that a text takes; a tab takes two, as in outlines. */
function width(text: string): number {
  return text.length + (text.match(/\t/g)?.length ?? 0)
}

/** The value at a path of a document. */
export function nodeAt({ value }: OutlineDocument, path: readonly Step[]): OutlineNode | undefined {
  let node = value
  for (const step of path) {
    if (typeof step === 'number') node = node?.is === 'list' ? node.items[step]?.value : undefined
    else node = node?.is === 'map' ? entryOf(node, step)?.value : undefined
  }
  return node
}

/** The entry of a key; the last of several. */
export function entryOf(node: OutlineNode | undefined, key: string): OutlineEntry | undefined {
  return node?.is === 'map' ? node.entries.findLast((one) => one.key === key) : undefined
}

/** The text of a scalar at a path. */
export function textAt(document: OutlineDocument, ...path: readonly Step[]): string | undefined {
  const node = nodeAt(document, path)
  return node?.is === 'scalar' ? node.text : undefined
}
