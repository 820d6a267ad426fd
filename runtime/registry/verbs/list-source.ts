import { StatusError } from '../../kernel/errors/status-error.ts'
import {
  type Page,
  type Revision,
  StoreError,
  type ListOptions as StoreListOptions,
} from '../../store/store.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { ListOptions, Target } from '../contract/contract.ts'
import { expired, resourceVersionTooLarge } from '../contract/errors.ts'
import {
  type ContinueToken,
  decodeContinueToken,
  encodeContinueToken,
} from '../storage/continue-token.ts'
import { listRecent } from '../storage/converting-store.ts'
import { collectionPrefix } from '../storage/keys.ts'
import { parseResourceVersion, waitForRevision } from '../storage/resource-version.ts'

/**
 * Where a list reads from. The table of `resourceVersion` and `resourceVersionMatch`:
 *
 *  - unset: the latest version, confirmed by the store;
 *  - `0`: whatever is cached;
 *  - a version with `Exact`, or with a limit and no match rule: that very version;
 *  - a version otherwise (`NotOlderThan`): what is cached, once it is at least that version.
 */
export interface ListSource {
  readonly read: (
    prefix: string,
    options: Pick<StoreListOptions, 'after' | 'limit' | 'bytes' | 'uncounted' | 'revision'>,
  ) => Promise<Page>
  /** The key to go on after. */
  readonly after?: string
  readonly limit?: number
  /** The version to read at. */
  readonly revision?: Revision
  readonly token?: ContinueToken
}

/** The source of a list. @throws StatusError for options without a meaning, Timeout for a version that does not come. */
export async function listSource(
  context: RegistryContext,
  target: Target,
  options: ListOptions,
): Promise<ListSource> {
  const { store } = context
  const { resourceVersionMatch: match, limit } = options
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

/**
 * Goes on where the page before ended, at its version. The token names keys relative to the collection of the request, so
 * that
 * it reads nothing outside of it.
 */
function continuedSource(
  { store }: RegistryContext,
  target: Target,
  options: ListOptions,
): ListSource {
  const whole = target.kind.scope === 'Namespaced' && target.namespace === undefined
  const token = decodeContinueToken(options.continue ?? '', whole ? 2 : 1)
  if (options.resourceVersion && options.resourceVersion !== '0') {
    throw new StatusError(
      'BadRequest',
      'specifying resource version is not allowed when using continue',
    )
  }
  return {
    read: (...args) => store.list(...args),
    after: collectionPrefix(target) + token.after,
    ...(token.revision !== undefined && { revision: token.revision }),
    token,
  }
}

/**
 * What a client is told of an error of the store. A list whose version was compacted between pages can be gone on with at
 * the
 * latest version: the error carries the token for it.
 */
export function translateListError(
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
