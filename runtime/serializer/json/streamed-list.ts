import type { StoredItem, StoredList, StreamedBody } from '../format/serializer-contract.ts'
import { indentJson, newline } from './indent-json.ts'

/** A list whose items are written while they are read. */
export interface WrittenList {
  /** What stands before the items, up to their bracket. */
  readonly head: string
  readonly parts: NonNullable<StoredList['parts']>
  /** An item as the list has it. */
  readonly text: (item: StoredItem) => string
  /** What the list has for its items if there are none. */
  readonly none: '[]' | 'null'
  readonly pretty: boolean | undefined
}

/** The list as JSON, each part of it in one piece. */
export function streamedList({ parts, none, ...list }: WrittenList): StreamedBody {
  const empty = `${list.head.slice(0, -1)}${none}}`
  const { start, between, end, written, indent } = list.pretty ? indented(list) : compact(list)
  return {
    async *pieces() {
      let before = start
      for await (const items of parts()) {
        if (items.length === 0) continue
        yield Buffer.from(before + items.map(written).join(between))
        before = between
      }
      yield Buffer.from(before === start ? `${indent(empty)}\n` : end)
    },
  }
}

/** What stands around the items of a list, what is written of each, and how the whole is laid out. */
interface Layout {
  readonly start: string
  readonly between: string
  readonly end: string
  readonly written: (item: StoredItem) => string
  readonly indent: (json: string) => string
}

function compact({ head, text }: Pick<WrittenList, 'head' | 'text'>): Layout {
  return { start: head, between: ',', end: ']}\n', written: text, indent: (json) => json }
}

/** In how many objects and lists an item stands. */
const depth = 2

function indented({ head, text }: Pick<WrittenList, 'head' | 'text'>): Layout {
  const empty = indentJson(`${head}]}`)
  return {
    start: `${empty.slice(0, empty.lastIndexOf(']'))}${newline(depth)}`,
    between: `,${newline(depth)}`,
    end: `${newline(depth - 1)}]${newline(0)}}\n`,
    written: (item) => indentJson(text(item), depth),
    indent: indentJson,
  }
}
