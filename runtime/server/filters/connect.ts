import { invariant } from '../../kernel/errors/invariant.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { RequestContext } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { HttpResponse } from '../http/response.ts'
import { withoutCredentials } from './credential-headers.ts'
import { passedResponse, refusedUpgrade } from './pass-on.ts'

/** Has a node, a pod or a service answer a request (I-06). @throws StatusError that says why it cannot. */
export async function connect(
  context: ServerContext,
  { state, res, req }: RequestContext,
): Promise<HttpResponse> {
  const { connector, streams } = context
  const { info, user, auditId } = state
  const { target } = info
  invariant(target?.name !== undefined && target.subresource !== undefined, 'only these are here')
  const { name, subresource } = target
  if (connector === undefined) {
    throw new StatusError('ServiceUnavailable', 'nodes cannot be reached from this server')
  }
  const ended = new AbortController()
  streams.add(ended)
  const upgrades = (req as { readonly upgrade?: boolean }).upgrade === true
  const client = upgrades ? req.socket : res
  const leave = (): void => ended.abort()
  client.once('close', leave)
  const done = (): void => {
    streams.delete(ended)
    client.off('close', leave)
  }
  try {
    const answer = await connector({
      target: { ...target, name, subresource },
      rest: restOf(info.path, target.namespace === undefined ? 5 : 7),
      query: new URLSearchParams(state.request.url.slice(info.path.length)),
      request: withoutCredentials(state.request),
      ...{ user, auditId, upgrades, signal: ended.signal },
    })
    if ('body' in answer) {
      done()
      return answer
    }
    if (upgrades && answer.tunnel === undefined) return await refusedUpgrade(answer, done)
    const { method } = state.request
    return passedResponse(answer, { method, passesRedirects: true, ended, done })
  } catch (error) {
    done()
    throw error
  }
}

/** What stands behind the first steps of a path, with the slash before it. */
function restOf(path: string, steps: number): string | undefined {
  const parts = path.split('/')
  return parts.length <= steps + 1 ? undefined : `/${parts.slice(steps + 1).join('/')}`
}
