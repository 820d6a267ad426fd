import type { Filter } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { type HttpRequest, headerOf } from '../http/request.ts'
import { withRemote } from '../request/remote-target.ts'
import { requestInfoOf } from '../request/request-info.ts'

/** Notes when the request came, what it is called in the logs, and what it is about. Everything behind it may rely on that. */
export function requestInfo(context: ServerContext): Filter {
  return function requestInfo({ state }, next) {
    const { request } = state
    state.receivedAt = context.clock.now()
    state.auditId = auditIdOf(context, request)
    const { routes, remote } = context.view
    const info = requestInfoOf(routes, request)
    state.info = remote === undefined ? info : withRemote(remote, info, request)
    return next()
  }
}

/**
 * The client's own id if it is one, so that its log and ours name the request alike. Anything else could forge lines of a log.
 */
function auditIdOf({ newId }: ServerContext, request: HttpRequest): string {
  const proposed = headerOf(request, 'audit-id')
  return proposed !== undefined && /^[\w.-]{1,128}$/.test(proposed) ? proposed : newId()
}
