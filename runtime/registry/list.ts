import { StatusError } from '../kernel/status.ts'
import { othersTurn } from '../kernel/turns.ts'
import { type Entry, type Page, type Revision, StoreError } from '../store/store.ts'
import type { Context } from './context.ts'
import { type Continue, parseContinue, printContinue } from './continue.ts'
import { recent } from './converting-view.ts'
import { expired, tooLarge } from './errors.ts'
import { itemOf } from './item.ts'
import { prefixOf } from './keys.ts'
import { checkListOptions } from './read-options.ts'
import type { Item, Listed, ListOptions, Target } from './registry.ts'
import { type Selection, selectionOf } from './selection.ts'
import { parseVersion, reach } from './version.ts'

/** Lists a collection in key order, all as of one version, in pages if there is a limit. */
export async function list(
  context: Context,
  target: Target,
  options: ListOptions,
): Promise<Listed> {
  const selection = selectionOf(target, options)
  const source = await sourceOf(context, target, options)
  const read = (after: string | undefined, limit: number | undefined, revision?: Revision) =>
    source.read(selection.prefix, {
      ...(after !== undefined && { after }),
      ...(limit !== undefined && { limit }),
      ...(revision !== undefined && { revision }),
    })
  try {
    return await pages(target, selection, source, read)
  } catch (error) {
    throw translated(context, error, source)
  }
}

type ReadPage = (after?: string, limit?: number, revision?: Revision) => Promise<Page>

/** Where a list reads from, as the version rules want it. */
interface Source {
  readonly read: (
    prefix: string,
    options: { after?: string; limit?: number; revision?: Revision },
  ) => Promise<Page>
  /** The key to go on after. */
  readonly after?: string
  readonly limit?: number
  /** The version to read at. */
  readonly revision?: Revision
  readonly token?: Continue
}

async function sourceOf(context: Context, target: Target, options: ListOptions): Promise<Source> {
  const { store } = context
  const { resourceVersionMatch: match, limit } = options
  checkListOptions(context, options)
  const bound = limit !== undefined && limit > 0 ? { limit } : {}
  if (options.continue) return { ...bound, ...continued(context, target, options) }
  const version = parseVersion(options.resourceVersion)
  if (version === undefined) return { read: (...args) => store.list(...args), ...bound }
  const exact = match === 'Exact' || (match !== 'NotOlderThan' && bound.limit !== undefined)
  if (version > 0 && exact) {
    await reach(context, version)
    return { read: (...args) => store.list(...args), revision: version, ...bound }
  }
  await reach(context, version)
  return { read: async (...args) => recent(store, ...args), ...(match && bound) }
}

function continued({ store }: Context, target: Target, options: ListOptions): Source {
  if (options.resourceVersion && options.resourceVersion !== '0') {
    throw new StatusError(
      'BadRequest',
      'specifying resource version is not allowed when using continue',
    )
  }
  const whole = target.kind.scope === 'Namespaced' && target.namespace === undefined
  const token = parseContinue(options.continue ?? '', whole ? 2 : 1)
  return {
    read: (...args) => store.list(...args),
    after: prefixOf(target) + token.after,
    ...(token.revision !== undefined && { revision: token.revision }),
    token,
  }
}

/** How many entries are looked at before others get their turn. */
const turnEntries = 5000

async function pages(
  target: Target,
  { matches }: Selection,
  source: Source,
  read: ReadPage,
): Promise<Listed> {
  return matches === undefined
    ? whole(target, await read(source.after, source.limit, source.revision))
    : matching(target, matches, source, read)
}

/** A page as it is read. */
async function whole(target: Target, page: Page): Promise<Listed> {
  const runs: (readonly Item[])[] = []
  let looked = 0
  for (const run of page.runs ?? (page.entries.length > 0 ? [page.entries] : [])) {
    const known = itemsOf.get(run)
    looked += known === undefined ? run.length : 0
    const items = known ?? run.map(itemOf)
    itemsOf.set(run, items)
    runs.push(items)
    if (looked < turnEntries) continue
    looked = 0
    await othersTurn()
  }
  let all: readonly Item[] | undefined
  const last = page.remaining > 0 ? (page.runs?.at(-1) ?? page.entries).at(-1) : undefined
  return {
    ...ending(target, page, last, page.remaining, false),
    runs,
    get items() {
      all ??= runs.flat()
      return all
    },
  }
}

const itemsOf = new WeakMap<readonly Entry[], readonly Item[]>()

/** Reads until the page is full: a selector drops entries after they are read. */
async function matching(
  target: Target,
  matches: (item: Item) => boolean,
  source: Source,
  read: ReadPage,
): Promise<Listed> {
  const { limit } = source
  const items: Item[] = []
  let page = await read(source.after, limit, source.revision)
  let last: Entry | undefined
  let looked = 0
  for (;;) {
    for (const entry of page.entries) {
      if (limit !== undefined && items.length === limit) break
      if (++looked % turnEntries === 0) await othersTurn()
      const item = itemOf(entry)
      last = entry
      if (matches(item)) items.push(item)
    }
    const full = limit === undefined || items.length >= limit
    if (full || page.remaining === 0 || last === undefined) break
    page = await read(last.key, Math.max(limit, 500), page.revision)
  }
  const remaining = last && page.remaining + page.entries.length - page.entries.indexOf(last) - 1
  return { items, ...ending(target, page, last, remaining ?? 0, true) }
}

function ending(
  target: Target,
  page: Page,
  last: Entry | undefined,
  remaining: number,
  selected: boolean,
): Omit<Listed, 'items'> {
  const resourceVersion = String(page.revision)
  if (last === undefined || remaining === 0) return { resourceVersion }
  const after = last.key.slice(prefixOf(target).length)
  return {
    resourceVersion,
    continue: printContinue({ after, revision: page.revision }),
    ...(!selected && { remainingItemCount: remaining }),
  }
}

function translated({ store }: Context, error: unknown, { token, revision }: Source): unknown {
  if (!(error instanceof StoreError)) return error
  if (error.reason === 'Future') return tooLarge(revision ?? 0, store.current)
  if (error.reason !== 'Expired') return error
  if (token === undefined) {
    return expired(`The resourceVersion for the provided list is too old: ${revision}.`)
  }
  return expired(
    'The provided continue parameter is too old to display a consistent list result. Start a new list without ' +
      'the continue parameter, or use the continue token of this response to get the rest: it is read at the ' +
      'latest version, so objects that changed since the first page may be missing or appear twice.',
    printContinue({ after: token.after }),
  )
}
