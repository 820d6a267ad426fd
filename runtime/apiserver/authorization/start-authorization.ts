import { enabledGatesOf } from '../../kernel/descriptors/enabled-gates.ts'
import type { StoreCache } from '../../watch/watch.ts'
import type { Lifecycle } from '../lifecycle.ts'
import type { ApiServerOptions } from '../options.ts'
import type { Authorization } from './authorization-options.ts'

/** The authorization that options ask for; undefined where everything is allowed, or an authorizer was given. */
export async function startAuthorization(
  options: ApiServerOptions,
  store: StoreCache,
  lifecycle: Lifecycle,
): Promise<Authorization | undefined> {
  const { authorization, authorizer, scheme, clock, gates = enabledGatesOf(scheme) } = options
  if (authorization === undefined || authorizer !== undefined) return undefined
  const { openAuthorization } = await import('./authorization.ts')
  const onStop = (run: () => Promise<void>) => lifecycle.onStop(run)
  return openAuthorization(authorization, { scheme, store, clock, gates, onStop })
}
