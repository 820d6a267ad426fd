import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { Entry, Page, Revision } from '../../store/store.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { Item, ListOptions, ListResult, Target } from '../contract/contract.ts'
import { encodeContinueToken } from '../storage/continue-token.ts'
import { itemOf } from '../storage/item.ts'
import { collectionPrefix } from '../storage/keys.ts'
import type { SelectionPredicate } from '../storage/selection-predicate.ts'
import { listInParts } from './list-in-parts.ts'
import { type ListSource, listSource, translateListError } from './list-source.ts'
import { listSelection } from './read-options.ts'

/**
 * Lists a collection in key order, all as of one version, in pages if there is a limit.
 *
 *  1. Every page of a list is read at the version of the first one: objects that change meanwhile are as they were.
 *  2. A page that is not the last has a continue token; a page without a selector has `remainingItemCount`, too.
 *  3. A selector is applied after reading: a page may have read many more entries than it returns.
 *
 * @throws StatusError BadRequest or Invalid for options without a meaning, Timeout for a version that is still to come,
 *   Expired for one that is compacted; then with a token that reads the rest at the latest version.
 */
export async function list(
  context: RegistryContext,
  target: Target,
  options: ListOptions,
): Promise<ListResult> {
  const selection = listSelection(context, target, options)
  const source = await listSource(context, target, selection.single ? single(options) : options)
  const { prefix } = selection
  const read = (after: string | undefined, limit: number | undefined, revision?: Revision) =>
    source.read(prefix, {
      ...(after !== undefined && { after }),
      ...(limit !== undefined && { limit }),
      ...(revision !== undefined && { revision }),
    })
  const isWhole = options.inParts === true && source.limit === undefined
  try {
    if (isWhole && !context.store.isCached(prefix, source.revision)) {
      const failure = (error: unknown) => translateListError(context, error, source)
      return await listInParts(selection, source, failure)
    }
    return await readPages(target, selection, source, read)
  } catch (error) {
    throw translateListError(context, error, source)
  }
}

/** Of one object there are no pages, so that a limit does not make its version an exact one. */
function single({ limit: _, ...options }: ListOptions): ListOptions {
  return options
}

/** Reads a page after a key, with a limit, at a revision; each of them optional. */
type ReadPage = (after?: string, limit?: number, revision?: Revision) => Promise<Page>

/** How many entries are worked on before other requests have their turn. */
const entriesPerSlice = 5000

async function readPages(
  target: Target,
  selection: SelectionPredicate,
  source: ListSource,
  read: ReadPage,
): Promise<ListResult> {
  return selection.matches === undefined
    ? wholePage(target, await read(source.after, source.limit, source.revision))
    : matchingPages(target, selection, source, read)
}

/** A page of which nothing is left out: who writes its runs, arrays that the cache shares between reads, needs no items. */
function wholePage(target: Target, page: Page): ListResult {
  const runs = page.runs ?? (page.entries.length > 0 ? [page.entries] : [])
  const last = page.remaining > 0 ? runs.at(-1)?.at(-1) : undefined
  let items: readonly Item[] | undefined
  return {
    ...pageEnd(target, { page, last, remaining: page.remaining, selected: false }),
    runs,
    get items() {
      items ??= page.entries.map(itemOf)
      return items
    },
  }
}

/**
 * A page of the entries that match a selector, read until it is full. Later reads ask for at least 500 entries, so that a
 * selector that matches little does not make many reads.
 */
async function matchingPages(
  target: Target,
  { matches = () => true, terms }: SelectionPredicate,
  source: ListSource,
  read: ReadPage,
): Promise<ListResult> {
  const { limit } = source
  const items: Item[] = []
  let page = await read(source.after, limit, source.revision)
  let last: Entry | undefined
  let left = entriesPerSlice
  const cost = 1 + terms / 10
  for (;;) {
    for (const entry of page.entries) {
      if (limit !== undefined && items.length === limit) break
      left -= cost
      if (left <= 0) {
        left = entriesPerSlice
        await yieldToEventLoop()
      }
      const item = itemOf(entry)
      last = entry
      if (matches(item)) items.push(item)
    }
    const full = limit === undefined || items.length >= limit
    if (full || page.remaining === 0 || last === undefined) break
    page = await read(last.key, Math.max(limit, 500), page.revision)
  }
  const remaining = last && page.remaining + page.entries.length - page.entries.indexOf(last) - 1
  return { items, ...pageEnd(target, { page, last, remaining: remaining ?? 0, selected: true }) }
}

/** Where a page ends. */
interface PageEnd {
  readonly page: Page
  /** The last entry that was looked at. */
  readonly last: Entry | undefined
  readonly remaining: number
  /** A selector was applied. */
  readonly selected: boolean
}

/**
 * The version of a page, and how to go on after its last entry if anything remains. How much remains is known only where
 * no
 * selector could drop some of it.
 */
function pageEnd(
  target: Target,
  { page, last, remaining, selected }: PageEnd,
): Omit<ListResult, 'items'> {
  const resourceVersion = String(page.revision)
  if (last === undefined || remaining === 0) return { resourceVersion }
  const after = last.key.slice(collectionPrefix(target).length)
  return {
    resourceVersion,
    continue: encodeContinueToken({ after, revision: page.revision }),
    ...(!selected && { remainingItemCount: remaining }),
  }
}
