import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { Page } from '../../store/store.ts'
import type { Item, ListResult } from '../contract/contract.ts'
import { itemOf } from '../storage/item.ts'
import type { SelectionPredicate } from '../storage/selection-predicate.ts'
import type { ListSource } from './list-source.ts'

/** About how many bytes of a list are read at once. */
const partBytes = 2 * 1024 * 1024

/**
 * A list without a limit that the database has and the memory has not, all of it as of the version of its first part: more than two parts of it
 * are never in memory. A list of one part is a list as any other.
 *
 * `failure` gives the error that a client is told of one of the store.
 */
export async function listInParts(
  { prefix, matches }: SelectionPredicate,
  { read, after, revision }: ListSource,
  failure: (error: unknown) => unknown,
): Promise<ListResult> {
  const part = (key: string | undefined, at: number | undefined): Promise<Page> =>
    read(prefix, {
      bytes: partBytes,
      uncounted: true,
      ...(key !== undefined && { after: key }),
      ...(at !== undefined && { revision: at }),
    })
  const first = await part(after, revision)
  const itemsOf = ({ entries }: Page): readonly Item[] => {
    const items = entries.map(itemOf)
    return matches === undefined ? items : items.filter(matches)
  }
  const items = itemsOf(first)
  const resourceVersion = String(first.revision)
  if (!goesOn(first)) return { items, resourceVersion }
  async function* parts(): AsyncIterable<readonly Item[]> {
    try {
      for await (const page of pagesFrom(first, (key) => part(key, first.revision))) {
        yield itemsOf(page)
      }
    } catch (error) {
      throw failure(error)
    }
  }
  return { items, resourceVersion, parts }
}

/** The first page and those behind it: each is read while the one before is used. */
async function* pagesFrom(
  first: Page,
  after: (key: string | undefined) => Promise<Page>,
): AsyncIterable<Page> {
  for (let page = first; ; ) {
    const next = goesOn(page) ? after(page.entries.at(-1)?.key) : undefined
    // Who has left hears of no failure.
    next?.catch(() => {})
    yield page
    if (next === undefined) return
    page = await next
    await yieldToEventLoop()
  }
}

function goesOn({ entries, remaining }: Page): boolean {
  return remaining > 0 && entries.length > 0
}
