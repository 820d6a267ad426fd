import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { Filter, RequestContext } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { routeRequest } from '../endpoints/router.ts'
import type { HttpResponse } from '../http/response.ts'
import type { RemoteTarget } from '../request/remote-info.ts'

/** What passes requests on is loaded where there are other servers. */
async function remoteResponse(
  context: ServerContext,
  ctx: RequestContext,
  remote: RemoteTarget,
): Promise<HttpResponse> {
  const { passOn } = await import('./pass-on.ts')
  return passOn(context, ctx, remote)
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
      info.remote === undefined
        ? routeRequest(context, { request, info, auditId, user })
        : remoteResponse(context, ctx, info.remote)
    if (work instanceof Promise) return work.then(settle)
    settle(work)
  }
}
