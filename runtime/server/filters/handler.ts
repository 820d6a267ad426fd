import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { Filter, RequestContext } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { routeRequest } from '../endpoints/router.ts'
import type { HttpResponse } from '../http/response.ts'
import type { RemoteTarget } from '../request/remote-info.ts'
import { isConnection } from '../request/request-info.ts'

/** What passes requests on is loaded where there are other servers. */
async function remoteResponse(
  context: ServerContext,
  ctx: RequestContext,
  remote: RemoteTarget,
): Promise<HttpResponse> {
  const { passOn } = await import('./pass-on.ts')
  return passOn(context, ctx, remote)
}

/** So is what joins clients with nodes, pods and services. */
async function connectedResponse(
  context: ServerContext,
  ctx: RequestContext,
): Promise<HttpResponse> {
  const { connect } = await import('./connect.ts')
  return connect(context, ctx)
}

/** Ends the chain: the endpoint that the request names makes the response. One that comes after the deadline is dropped. */
export function handler(context: ServerContext): Filter {
  return function handler(ctx) {
    const { state } = ctx
    const { request, info, auditId, user } = state
    const settle = (response: HttpResponse): void => {
      if (!state.timedOut) state.response = response
    }
    const work: Awaitable<HttpResponse> =
      isConnection(info.target) && info.verb !== undefined
        ? connectedResponse(context, ctx)
        : info.remote === undefined
          ? routeRequest(context, { request, info, auditId, user })
          : remoteResponse(context, ctx, info.remote)
    if (work instanceof Promise) return work.then(settle)
    settle(work)
  }
}
