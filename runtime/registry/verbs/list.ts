import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { type Entry, type Page, type Revision, StoreError } from '../../store/store.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { Item, ListOptions, ListResult, Target } from '../contract/contract.ts'
import { expired, resourceVersionTooLarge } from '../contract/errors.ts'
import {
  type ContinueToken,
  decodeContinueToken,
  encodeContinueToken,
} from '../storage/continue-token.ts'
import { listRecent } from '../storage/converting-store.ts'
import { itemOf } from '../storage/item.ts'
import { collectionPrefix } from '../storage/keys.ts'
import { parseResourceVersion, waitForRevision } from '../storage/resource-version.ts'
import { type SelectionPredicate, selectionPredicate } from '../storage/selection-predicate.ts'
import { checkListOptions } from './read-options.ts'

/** Lists a collection in key order, all as of one version, in pages if there is a limit. */
export async function list(
  context: RegistryContext,
  target: Target,
  options: ListOptions,
): Promise<ListResult> {
  const selection = selectionPredicate(target, options)
  const source = await listSource(context, target, options)
  const read = (after: string | undefined, limit: number | undefined, revision?: Revision) =>
    source.read(selection.prefix, {
      ...(after !== undefined && { after }),
      ...(limit !== undefined && { limit }),
      ...(revision !== undefined && { revision }),
    })
  try {
    return await readPages(target, selection, source, read)
  } catch (error) {
    throw translateStoreError(context, error, source)
  }
}

type ReadPage = (after?: string, limit?: number, revision?: Revision) => Promise<Page>

/** Where a list reads from, as the version rules want it. */
interface ListSource {
  readonly read: (
    prefix: string,
    options: { after?: string; limit?: number; revision?: Revision },
  ) => Promise<Page>
  /** The key to go on after. */
  readonly after?: string
  readonly limit?: number
  /** The version to read at. */
  readonly revision?: Revision
  readonly token?: ContinueToken
}

async function listSource(
  context: RegistryContext,
  target: Target,
  options: ListOptions,
): Promise<ListSource> {
  const { store } = context
  const { resourceVersionMatch: match, limit } = options
  checkListOptions(context, options)
  const bound = limit !== undefined && limit > 0 ? { limit } : {}
  if (options.continue) return { ...bound, ...continuedSource(context, target, options) }
  const version = parseResourceVersion(options.resourceVersion)
  if (version === undefined) return { read: (...args) => store.list(...args), ...bound }
  const exact = match === 'Exact' || (match !== 'NotOlderThan' && bound.limit !== undefined)
  if (version > 0 && exact) {
    await waitForRevision(context, version)
    return { read: (...args) => store.list(...args), revision: version, ...bound }
  }
  await waitForRevision(context, version)
  return { read: async (...args) => listRecent(store, ...args), ...(match && bound) }
}

function continuedSource(
  { store }: RegistryContext,
  target: Target,
  options: ListOptions,
): ListSource {
  if (options.resourceVersion && options.resourceVersion !== '0') {
    throw new StatusError(
      'BadRequest',
      'specifying resource version is not allowed when using continue',
    )
  }
  const whole = target.kind.scope === 'Namespaced' && target.namespace === undefined
  const token = decodeContinueToken(options.continue ?? '', whole ? 2 : 1)
  return {
    read: (...args) => store.list(...args),
    after: collectionPrefix(target) + token.after,
    ...(token.revision !== undefined && { revision: token.revision }),
    token,
  }
}

/** How many entries are looked at before others get their turn. */
const entriesPerSlice = 5000

async function readPages(
  target: Target,
  { matches }: SelectionPredicate,
  source: ListSource,
  read: ReadPage,
): Promise<ListResult> {
  return matches === undefined
    ? wholePage(target, await read(source.after, source.limit, source.revision))
    : matchingPages(target, matches, source, read)
}

/** A page as it is read. */
async function wholePage(target: Target, page: Page): Promise<ListResult> {
  const runs: (readonly Item[])[] = []
  let looked = 0
  for (const run of page.runs ?? (page.entries.length > 0 ? [page.entries] : [])) {
    const known = itemsOf.get(run)
    looked += known === undefined ? run.length : 0
    const items = known ?? run.map(itemOf)
    itemsOf.set(run, items)
    runs.push(items)
    if (looked < entriesPerSlice) continue
    looked = 0
    await yieldToEventLoop()
  }
  let all: readonly Item[] | undefined
  const last = page.remaining > 0 ? (page.runs?.at(-1) ?? page.entries).at(-1) : undefined
  return {
    ...pageEnd(target, page, last, page.remaining, false),
    runs,
    get items() {
      all ??= runs.flat()
      return all
    },
  }
}

const itemsOf = new WeakMap<readonly Entry[], readonly Item[]>()

/** Reads until the page is full: a selector drops entries after they are read. */
async function matchingPages(
  target: Target,
  matches: (item: Item) => boolean,
  source: ListSource,
  read: ReadPage,
): Promise<ListResult> {
  const { limit } = source
  const items: Item[] = []
  let page = await read(source.after, limit, source.revision)
  let last: Entry | undefined
  let looked = 0
  for (;;) {
    for (const entry of page.entries) {
      if (limit !== undefined && items.length === limit) break
      if (++looked % entriesPerSlice === 0) await yieldToEventLoop()
      const item = itemOf(entry)
      last = entry
      if (matches(item)) items.push(item)
    }
    const full = limit === undefined || items.length >= limit
    if (full || page.remaining === 0 || last === undefined) break
    page = await read(last.key, Math.max(limit, 500), page.revision)
  }
  const remaining = last && page.remaining + page.entries.length - page.entries.indexOf(last) - 1
  return { items, ...pageEnd(target, page, last, remaining ?? 0, true) }
}

function pageEnd(
  target: Target,
  page: Page,
  last: Entry | undefined,
  remaining: number,
  selected: boolean,
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

function translateStoreError(
  { store }: RegistryContext,
  error: unknown,
  { token, revision }: ListSource,
): unknown {
  if (!(error instanceof StoreError)) return error
  if (error.reason === 'Future')
    return resourceVersionTooLarge(revision ?? 0, store.currentRevision)
  if (error.reason !== 'Expired') return error
  if (token === undefined) {
    return expired(`The resourceVersion for the provided list is too old: ${revision}.`)
  }
  return expired(
    'The provided continue parameter is too old to display a consistent list result. Start a new list without ' +
      'the continue parameter, or use the continue token of this response to get the rest: it is read at the ' +
      'latest version, so objects that changed since the first page may be missing or appear twice.',
    encodeContinueToken({ after: token.after }),
  )
}
