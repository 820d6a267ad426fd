import { daemonEndpoints, isEndpoint } from '../../daemon/daemon.ts'
import { slisGate } from '../../kernel/descriptors/enabled-gates.ts'
import type { Filter } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { adoption } from './extensions.ts'

/**
 * Answers what every daemon is asked, health and metrics, with the middleware of `runtime/daemon`. A check that there is none
 * of is a 404 like any other path.
 */
export function operations(context: ServerContext): Filter {
  const { gates, view } = context
  const { brand } = view.scheme.platform
  const slis = gates.has(slisGate)
  const endpoints = daemonEndpoints({ ...context, slis, brand })
  return function operations(ctx, next) {
    const { target, segments, path } = ctx.state.info
    if (target !== undefined || !isEndpoint(segments?.[0]) || path.includes('#')) return next()
    return adoption(ctx, () => endpoints(ctx, async () => next()))
  }
}
