/** Maps and lists in brackets, JSON among them, and scalars. */
import type {
  OutlineEntry,
  OutlineList,
  OutlineMap,
  OutlineNode,
  OutlineScalar,
} from './outline-nodes.ts'

/** Deeper brackets are passed over. */
const maxDepth = 200

/**
 * Reads what stands in brackets from the offset on. Where a bracket is missing it ends at the first line that is not deeper than
 * `indent`; -1 for a text that is all in brackets.
 */
export function readFlow(
  text: string,
  from: number,
  indent: number,
): { readonly node: OutlineNode; readonly end: number } {
  return new FlowReader(text, from, indent).read()
}

class FlowReader {
  readonly #text: string
  readonly #indent: number
  readonly #open: (OutlineMap | OutlineList)[] = []
  readonly #limit: number
  #at: number
  #lineEnd = -1
  /** Brackets that are too deep to be kept. */
  #passedOver = 0

  constructor(text: string, from: number, indent: number) {
    this.#text = text
    this.#at = from
    this.#indent = indent
    this.#limit = text.length
  }

  read(): { readonly node: OutlineNode; readonly end: number } {
    const root = this.#bracket()
    while (this.#open.length > 0 && this.#at < this.#limit) {
      const code = this.#text[this.#at] as string
      if (code === '\n' && this.#endsAt(this.#at + 1)) break
      if (/\s/.test(code)) this.#at++
      else if (code === '#' && /\s/.test(this.#text[this.#at - 1] ?? ' ')) this.#skipLine()
      else if (code === '{' || code === '[') this.#bracket()
      else if (code === '}' || code === ']') this.#close(code)
      else if (code === ',') this.#comma()
      else if (code === ':') this.#colon()
      else this.#scalar()
    }
    for (const open of this.#open) open.end = this.#at
    return { node: root, end: this.#at }
  }

  /** True for a line that is no longer part of this value. */
  #endsAt(start: number): boolean {
    const [space = ''] = /^[ \t]*/.exec(this.#text.slice(start, start + 400)) ?? []
    const next = this.#text[start + space.length]
    if (next === undefined || next === '\n' || next === '\r') return false
    if (/^(---|\.\.\.)(\s|$)/.test(this.#text.slice(start, start + 4))) return true
    if (this.#indent < 0 || space.length > this.#indent) return false
    return next !== '}' && next !== ']'
  }

  #bracket(): OutlineMap | OutlineList {
    const start = this.#at++
    const common = { indent: this.#indent, flow: true, start, end: start + 1 }
    const node: OutlineMap | OutlineList =
      this.#text[start] === '{'
        ? { is: 'map', entries: [], ...common }
        : { is: 'list', items: [], ...common }
    if (this.#open.length >= maxDepth) {
      this.#passedOver++
      return node
    }
    this.#add(node)
    this.#open.push(node)
    return node
  }

  #close(bracket: string): void {
    this.#at++
    if (this.#passedOver > 0) {
      this.#passedOver--
      return
    }
    const is = bracket === '}' ? 'map' : 'list'
    const index = this.#open.findLastIndex((one) => one.is === is)
    for (const closed of this.#open.splice(index < 0 ? this.#open.length - 1 : index)) {
      closed.end = this.#at
      this.#grow(closed)
    }
  }

  #grow({ end }: OutlineNode): void {
    const last = lastPart(this.#open.at(-1))
    if (last !== undefined) last.end = end
  }

  #comma(): void {
    this.#at++
    const top = this.#open.at(-1)
    if (top?.is === 'map')
      top.entries.push({ key: '', start: this.#at, keyEnd: this.#at, end: this.#at })
    else top?.items.push({ start: this.#at, end: this.#at })
  }

  #colon(): void {
    this.#at++
    const top = this.#open.at(-1)
    const last = top?.is === 'map' ? top.entries.at(-1) : undefined
    if (top?.is !== 'map' || last === undefined) return
    const { value } = last
    if (last.colon !== undefined && value?.is === 'scalar') {
      // The value was the next key: the comma is missing.
      delete last.value
      last.end = last.colon
      const { text: key, start, end } = value
      top.entries.push({ key, start, keyEnd: end, colon: this.#at, end: this.#at })
      return
    }
    last.colon ??= this.#at
    last.end = this.#at
  }

  #scalar(): void {
    if (this.#lineEnd < this.#at) {
      const found = this.#text.indexOf('\n', this.#at)
      this.#lineEnd = found < 0 ? this.#limit : found
    }
    const node = flowScalar(this.#text, this.#at, this.#lineEnd)
    this.#at = Math.max(node.end, this.#at + 1)
    this.#add(node)
  }

  /** A value, or a key of a map. */
  #add(node: OutlineNode): void {
    const top = this.#open.at(-1)
    if (top === undefined) return
    if (top.is === 'list') {
      const last = top.items.at(-1)
      if (last !== undefined && last.value === undefined) {
        last.value = node
        last.end = node.end
      } else top.items.push({ start: node.start, end: node.end, value: node })
      return
    }
    const last = top.entries.at(-1)
    if (last !== undefined && last.colon !== undefined && last.value === undefined) {
      last.value = node
      last.end = node.end
      return
    }
    if (node.is !== 'scalar') return
    const { text: key, start, end } = node
    const entry: OutlineEntry = { key, start, keyEnd: end, end }
    if (last !== undefined && last.key === '' && last.colon === undefined) top.entries.pop()
    top.entries.push(entry)
  }

  #skipLine(): void {
    const end = this.#text.indexOf('\n', this.#at)
    this.#at = end < 0 ? this.#limit : end
  }
}

function lastPart(block: OutlineMap | OutlineList | undefined): { end: number } | undefined {
  return block?.is === 'map' ? block.entries.at(-1) : block?.items.at(-1)
}

/** A scalar in brackets, on one line. */
function flowScalar(text: string, at: number, end: number): OutlineScalar {
  const quote = text[at]
  if (quote === '"' || quote === "'") return quoted(text, at, end)
  const line = text.slice(at, end)
  const stop = line.search(/[,[\]{}]|:(?=[\s,[\]{}]|$)|\s#/)
  const plain = (stop < 0 ? line : line.slice(0, stop)).trimEnd()
  return { is: 'scalar', text: plain, style: 'plain', start: at, end: at + plain.length }
}

/** A scalar of a block; one in quotes goes on over lines that are deeper than `indent`. */
export function scalarAt(text: string, at: number, end: number, indent: number): OutlineScalar {
  const quote = text[at]
  if (quote === '"' || quote === "'") {
    const own = quoted(text, at, end)
    if (isClosed(text, own)) return own
    const over = quoted(text, at, endOfBlock(text, end, indent))
    return isClosed(text, over) ? over : own
  }
  const line = text.slice(at, end)
  const stop = line.search(/\s#/)
  const plain = (stop < 0 ? line : line.slice(0, stop)).trimEnd()
  return { is: 'scalar', text: plain, style: 'plain', start: at, end: at + plain.length }
}

/** Up to the closing quote, or to the end. */
function quoted(text: string, at: number, end: number): OutlineScalar {
  const quote = text[at]
  let next = at + 1
  for (; next < end; next++) {
    if (quote === '"' && text[next] === '\\') next++
    else if (text[next] === quote) {
      if (quote === '"' || text[next + 1] !== quote) break
      next++
    }
  }
  const isOpen = next >= end
  const inner = text.slice(at + 1, Math.min(next, end))
  const behind = isOpen ? at + 1 + inner.trimEnd().length : next + 1
  return { is: 'scalar', text: inner.trimEnd(), style: 'quoted', start: at, end: behind }
}

function isClosed(text: string, { start, end }: OutlineScalar): boolean {
  return end - start >= 2 && text[end - 1] === text[start]
}

/** How many characters a scalar in quotes is followed over lines. */
const longestQuoted = 100_000

/** The end of the lines from `end` on that are empty or deeper than `indent`. */
function endOfBlock(text: string, end: number, indent: number): number {
  const lines = /\n([ ]*)(?=([^\s])|\s*)/y
  let behind = end
  while (behind < text.length && behind - end < longestQuoted) {
    lines.lastIndex = behind
    const [, space = '', first] = lines.exec(text) ?? []
    if (first !== undefined && space.length <= indent) break
    const next = text.indexOf('\n', behind + 1)
    behind = next < 0 ? text.length : next
  }
  return behind
}
