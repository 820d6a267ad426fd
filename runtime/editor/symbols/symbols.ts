/** The objects of a text and their parts, for lists of symbols and for folding. */
import { textAt } from '../text/cursor.ts'
import { endOf } from '../text/ends.ts'
import type { OutlineDocument, OutlineNode } from '../text/outline-nodes.ts'

/** A part of a text with a name. */
export interface TextSymbol {
  readonly name: string
  readonly detail?: string
  readonly is: 'object' | 'map' | 'list' | 'value'
  readonly start: number
  readonly end: number
  /** The name itself. */
  readonly nameStart: number
  readonly nameEnd: number
  readonly parts: readonly TextSymbol[]
}

/** More parts are not told of: no list of them is read. */
const mostSymbols = 5_000

/** The objects of the documents, each with its fields. */
export function symbolsOf(documents: readonly OutlineDocument[]): readonly TextSymbol[] {
  const left = { count: mostSymbols }
  return documents.flatMap((document): readonly TextSymbol[] => {
    const { value } = document
    if (value === undefined || value.is === 'scalar') return []
    const kind = textAt(document, 'kind')
    const name = textAt(document, 'metadata', 'name')
    const [start, end] = [value.start, endOf(value)]
    const title = [kind, name].filter((one) => one !== undefined).join(' ') || 'document'
    const detail = textAt(document, 'apiVersion')
    const nameEnd = Math.min(end, start + 1)
    return [
      {
        ...{ name: title, is: 'object', start, end, nameStart: start, nameEnd },
        ...(detail !== undefined && { detail }),
        parts: partsOf(value, left),
      },
    ]
  })
}

function partsOf(node: OutlineNode, left: { count: number }): readonly TextSymbol[] {
  const parts: TextSymbol[] = []
  if (node.is === 'map') {
    for (const { key, start, keyEnd, value } of node.entries) {
      if (key === '' || left.count-- <= 0) continue
      parts.push(symbol(key, start, keyEnd, value, left))
    }
  } else if (node.is === 'list') {
    for (const [index, { start, value }] of node.items.entries()) {
      if (value === undefined || left.count-- <= 0) continue
      const nameEnd = value.is === 'scalar' ? value.end : start + 1
      parts.push(symbol(nameIn(value) ?? `[${index}]`, start, nameEnd, value, left))
    }
  }
  return parts
}

const none: readonly TextSymbol[] = []

function symbol(
  name: string,
  nameStart: number,
  nameEnd: number,
  value: OutlineNode | undefined,
  left: { count: number },
): TextSymbol {
  const start = nameStart
  if (value === undefined || value.is === 'scalar') {
    const detail = value === undefined || value.text === name ? '' : value.text.slice(0, 80)
    const end = Math.max(nameEnd, value?.end ?? 0)
    return { name, detail, is: 'value', start, end, nameStart, nameEnd, parts: none }
  }
  const end = Math.max(nameEnd, endOf(value))
  const parts = partsOf(value, left)
  return { name, is: value.is, start, end, nameStart, nameEnd, parts }
}

/** The name that an item has for itself. */
function nameIn(value: OutlineNode): string | undefined {
  if (value.is === 'scalar') return value.text.slice(0, 80) || undefined
  if (value.is === 'list') return undefined
  const named = value.entries.find(({ key }) => key === 'name')?.value
  return named?.is === 'scalar' && named.text !== '' ? named.text : undefined
}
