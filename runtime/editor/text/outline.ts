/**
 * The outline of a YAML or JSON text that is being typed: maps, lists and scalars with their places, by indentation and brackets alone.
 * It is made of any text, however broken, in one pass; a value that is missing is absent, and a word without a colon that stands where a
 * key would is an entry without one. What a text means is for the reader of documents: aliases, tags and escapes are not looked at here.
 */
import { readFlow, scalarAt } from './flow.ts'
import type {
  OutlineDocument,
  OutlineEntry,
  OutlineItem,
  OutlineList,
  OutlineMap,
  OutlineNode,
  OutlineScalar,
} from './outline-nodes.ts'

/** The documents of a text, in their order; an empty text has one without a root. */
export function outlineOf(text: string): readonly OutlineDocument[] {
  return new BlockReader(text).documents()
}

/** Deeper blocks are taken for scalars. */
const maxDepth = 200

/** A line beyond its indentation. */
interface Line {
  readonly end: number
  /** Behind the indentation. */
  readonly offset: number
  readonly column: number
}

/** A document that is being read. */
interface OpenDocument {
  start: number
  end: number
  value?: OutlineNode
}

/** What a block may become the value of. */
type Slot = OutlineEntry | OutlineItem | OpenDocument

const properties = /(?:[&!][^\s,[\]{}]*[ \t]+)+/y

class BlockReader {
  readonly #text: string
  readonly #documents: OpenDocument[] = []
  /** The open blocks, the innermost last. */
  readonly #open: (OutlineMap | OutlineList)[] = []
  #document: OpenDocument
  /** The lines of a block scalar are deeper than this column. */
  #scalar: { readonly node: OutlineScalar; readonly indent: number } | undefined
  /** Lines that begin before this offset belong to a value that is read already. */
  #readUpTo = 0

  constructor(text: string) {
    this.#text = text
    this.#document = { start: 0, end: text.length }
    this.#documents.push(this.#document)
  }

  documents(): readonly OutlineDocument[] {
    const text = this.#text
    for (let start = 0; start <= text.length; ) {
      const found = text.indexOf('\n', start)
      const end = found < 0 ? text.length : found
      if (start >= this.#readUpTo) this.#line(start, end)
      start = end + 1
    }
    return this.#documents
  }

  #line(start: number, end: number): void {
    const text = this.#text
    let [offset, column] = [start, 0]
    for (; offset < end; offset++) {
      const code = text.charCodeAt(offset)
      if (code === 0x20) column++
      else if (code === 0x09) column += 2
      else if (code !== 0x0d && code !== 0xfeff) break
    }
    if (this.#scalar !== undefined) {
      if (offset === end || column > this.#scalar.indent) {
        if (offset < end) this.#scalar.node.end = end
        return
      }
      this.#scalar = undefined
    }
    if (offset === end || text[offset] === '#') return
    if (column === 0 && this.#marker(start, end)) return
    this.#content({ end, offset, column })
  }

  /** A line that separates documents; whether it was one. */
  #marker(start: number, end: number): boolean {
    const text = this.#text
    if (text[start] === '%') return true
    const mark = text.slice(start, start + 3)
    if ((mark !== '---' && mark !== '...') || !/^\s?$/.test(text.slice(start + 3, start + 4))) {
      return false
    }
    this.#document.end = start
    this.#open.length = 0
    const isFirst = this.#documents.length === 1 && this.#document.value === undefined
    if (isFirst && mark === '---') {
      this.#document.start = start
      this.#document.end = text.length
    } else {
      this.#document = { start, end: text.length }
      this.#documents.push(this.#document)
    }
    const rest = /\S/.exec(text.slice(start + 3, end))
    if (rest !== null && rest[0] !== '#') {
      const offset = start + 3 + rest.index
      this.#content({ end, offset, column: 0 })
    }
    return true
  }

  /** Dashes, then a key, a word or a value. */
  #content(line: Line): void {
    const { end, offset, column } = line
    const isItem = this.#open.length < maxDepth && this.#isDash(offset, end)
    this.#leave(column, isItem)
    if (isItem) {
      const item = this.#item(offset, column)
      let next = offset + 1
      while (next < end && /[ \t]/.test(this.#text[next] as string)) next++
      if (next >= end || this.#text[next] === '#' || this.#text[next] === '\r') return
      this.#content({ end, offset: next, column: column + next - offset })
      item.end = Math.max(item.end, end)
      return
    }
    const key = this.#keyAt(offset, end)
    if (key !== undefined) this.#entry(line, key)
    else this.#loose(line)
  }

  #isDash(offset: number, end: number): boolean {
    return (
      this.#text[offset] === '-' && (offset + 1 >= end || /\s/.test(this.#text[offset + 1] ?? ' '))
    )
  }

  /** Closes the blocks that a line at this column is not part of. */
  #leave(column: number, isItem: boolean): void {
    for (;;) {
      const top = this.#open.at(-1)
      if (top === undefined || top.indent < column) return
      if (top.indent === column && (top.is === 'map' || isItem)) return
      if (top.indent === column && this.#open.at(-2)?.indent !== column) return
      this.#open.pop()
    }
  }

  /** The end of the key at the offset: what stands before a colon that a space or the end of the line follows. */
  #keyAt(offset: number, end: number): number | undefined {
    const text = this.#text
    const first = text[offset] as string
    if (first === '"' || first === "'") {
      const { end: behind } = scalarAt(text, offset, end, -1)
      let next = behind
      while (next < end && /[ \t]/.test(text[next] as string)) next++
      return behind <= end && text[next] === ':' && isSpace(text[next + 1]) ? behind : undefined
    }
    if ('#&*!|>%@`{}[],'.includes(first)) return undefined
    const line = text.slice(offset, end)
    const at = line.search(/:(\s|$)/)
    const key = line.slice(0, at)
    return at < 0 || /\s#/.test(key) ? undefined : offset + key.trimEnd().length
  }

  #item(offset: number, column: number): OutlineItem {
    const top = this.#open.at(-1)
    const item: OutlineItem = { start: offset, end: offset + 1 }
    if (top?.is === 'list' && top.indent === column) {
      top.items.push(item)
      top.end = item.end
      return item
    }
    const slot = this.#slot(column)
    const known = slot?.value
    if (known?.is === 'list' && !known.flow) {
      known.items.push(item)
      this.#push(known)
      return item
    }
    const list: OutlineList = {
      is: 'list',
      items: [item],
      ...{ indent: column, flow: false, start: offset, end: item.end },
    }
    this.#put(slot, list)
    this.#push(list)
    return item
  }

  #entry({ end, offset, column }: Line, keyEnd: number): void {
    const colon = this.#text.indexOf(':', keyEnd) + 1
    const raw = this.#text.slice(offset, keyEnd)
    const key = /^["']/.test(raw) ? raw.slice(1, -1) : raw.trimEnd()
    const entry: OutlineEntry = { key, start: offset, keyEnd, column, colon, end: colon }
    const map = this.#mapAt(column, offset)
    map.entries.push(entry)
    this.#value(entry, colon, end, column)
    map.end = Math.max(map.end, entry.end)
  }

  /** The map that an entry at the column belongs to. */
  #mapAt(column: number, offset: number): OutlineMap {
    const top = this.#open.at(-1)
    if (top?.is === 'map' && top.indent === column) return top
    const slot = this.#slot(column)
    const known = slot?.value
    if (known?.is === 'map' && !known.flow) {
      this.#push(known)
      return known
    }
    const map: OutlineMap = {
      is: 'map',
      entries: [],
      ...{ indent: column, flow: false, start: offset, end: offset },
    }
    if (known?.is === 'scalar' && known.ownLine && known.column === column) {
      map.start = known.start
      map.entries.push(looseEntry(known))
    }
    this.#put(slot, map)
    this.#push(map)
    return map
  }

  /** A word without a colon: a value on a line of its own, the rest of one, or a key that is being typed. */
  #loose({ end, offset, column }: Line): void {
    const top = this.#open.at(-1)
    const node = this.#inline(offset, end, top?.indent ?? -1)
    if (node === undefined) return
    if (node.is === 'scalar') {
      node.ownLine = true
      node.column = column
    }
    if (top?.is === 'map' && top.indent === column && node.is === 'scalar') {
      top.entries.push(looseEntry(node))
      return
    }
    if (top?.is === 'list' && top.indent === column) {
      top.items.push({ start: node.start, end: node.end, value: node, isLoose: true })
      return
    }
    const slot = this.#slot(column)
    const known = slot?.value
    if (known === undefined) this.#put(slot, node)
    else if (node.is !== 'scalar') return
    else if (known.is === 'scalar') known.end = node.end
    else if (known.is === 'list' && !known.flow && known.indent === column) {
      known.items.push({ start: node.start, end: node.end, value: node, isLoose: true })
    } else if (known.is === 'map' && !known.flow) known.entries.push(looseEntry(node))
  }

  /** What a deeper block at the column is the value of. */
  #slot(column: number): Slot | undefined {
    const top = this.#open.at(-1)
    if (top === undefined) return this.#document
    if (top.is === 'list') return top.items.at(-1)
    return top.indent <= column ? top.entries.at(-1) : undefined
  }

  #put(slot: Slot | undefined, node: OutlineNode): void {
    if (slot === undefined) return
    slot.value = node
    slot.end = Math.max(slot.end, node.end)
  }

  #push(block: OutlineMap | OutlineList): void {
    if (this.#open.length < maxDepth) this.#open.push(block)
  }

  /** The value behind a colon. */
  #value(entry: OutlineEntry, from: number, end: number, column: number): void {
    const node = this.#inline(from, end, column)
    if (node === undefined) return
    entry.value = node
    entry.end = node.end
  }

  /** The value on a line; what is deeper than `indent` may continue it. */
  #inline(from: number, end: number, indent: number): OutlineNode | undefined {
    const text = this.#text
    let at = from
    while (at < end && /[ \t]/.test(text[at] as string)) at++
    properties.lastIndex = at
    if (properties.test(text) && properties.lastIndex <= end) at = properties.lastIndex
    const first = text[at]
    if (at >= end || first === '#' || first === '\r') return undefined
    if (first === '{' || first === '[') {
      const { node, end: behind } = readFlow(text, at, indent)
      this.#readUpTo = behind
      return node
    }
    if (first === '|' || first === '>') {
      const node: OutlineScalar = { is: 'scalar', text: '', style: 'block', start: at, end }
      this.#scalar = { node, indent }
      return node
    }
    const node = scalarAt(text, at, end, indent)
    this.#readUpTo = Math.max(this.#readUpTo, node.end)
    return node
  }
}

function isSpace(character: string | undefined): boolean {
  return character === undefined || /\s/.test(character)
}

function looseEntry({ text, start, end }: OutlineScalar): OutlineEntry {
  return { key: text, start, keyEnd: end, end }
}
