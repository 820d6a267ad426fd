import type { StoreCache } from '../watch/watch.ts'
import type { Authorization } from './authorization-options.ts'
import type { ApiServerOptions } from './options.ts'

/** The authorization that options ask for; undefined where everything is allowed, or an authorizer was given. */
export async function startAuthorization(
  options: ApiServerOptions,
  store: StoreCache,
): Promise<Authorization | undefined> {
  const { authorization, authorizer } = options
  if (authorization === undefined || authorizer !== undefined) return undefined
  const { openAuthorization } = await import('./authorization.ts')
  return openAuthorization(authorization, options.scheme, store)
}
