import type { Clock } from '../../kernel/async/clock.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { Filter, RequestState } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { ArrivingBodies } from '../http/arriving-bodies.ts'
import { type HttpRequest, headerOf } from '../http/request.ts'
import { readBody } from '../negotiation/request-body.ts'
import { isConnection, type RequestInfo } from '../request/request-info.ts'
import { timedOut, timeLimitMs } from './limits.ts'

/**
 * Takes in the body of a write before the write asks for its seats, so that who sends slowly holds none. What kept it from arriving is
 * told where the body is read: the rights of the client come first.
 */
export function receiveBody({ clock, limits, requestTimeoutMs }: ServerContext): Filter {
  const { waitingBytes, bodyBytes } = limits
  const bodies = new ArrivingBodies(Math.max(waitingBytes, bodyBytes))
  return function receiveBody({ state }, next) {
    if (!bringsBody(state.request, state.info)) return next()
    return received(state, bodies, clock, patienceMs(requestTimeoutMs, state)).then(next)
  }
}

const readingVerbs: ReadonlySet<string | undefined> = new Set(['get', 'list', 'watch', undefined])

/** True for a write of a resource that comes over a socket, with a body. Other bodies are for those who asked for them. */
function bringsBody(request: HttpRequest, { target, verb }: RequestInfo): boolean {
  const { peer, headers } = request
  if (peer === undefined || target === undefined || readingVerbs.has(verb)) return false
  if (isConnection(target)) return false
  return (headers['transfer-encoding'] ?? headerOf(request, 'content-length') ?? '0') !== '0'
}

/** As long as the whole request may take; one that does not say it well is refused where it is said. */
function patienceMs(requestTimeoutMs: number, { request, info }: RequestState): number {
  try {
    return timeLimitMs(requestTimeoutMs, request, info)
  } catch {
    return requestTimeoutMs
  }
}

/** Puts what arrives of the body, or why it did not, into the request. Resolves in any case. */
function received(
  state: RequestState,
  bodies: ArrivingBodies,
  clock: Clock,
  ms: number,
): Promise<void> {
  const { request } = state
  return new Promise((resolve) => {
    let settled = false
    const settle = (body: Pick<HttpRequest, 'received' | 'body'>): void => {
      if (settled) return
      settled = true
      cancel()
      arriving.ended()
      state.request = { ...request, ...body }
      resolve()
    }
    const fail = (error: unknown): void => settle({ body: () => failingBody(error) })
    const arriving = bodies.begin(() => fail(tooManyBodies()))
    const cancel = clock.after(ms, () => fail(timedOut()))
    state.bodyTaken = () => arriving.taken()
    const { body } = request
    const came = (bytes: number): void => {
      if (settled) throw timedOut()
      arriving.came(bytes)
    }
    readBody(request, came).then((bytes) => settle({ body, received: bytes }), fail)
  })
}

/** A body that fails where it is read. */
// biome-ignore lint/correctness/useYield: it fails before
async function* failingBody(error: unknown): AsyncGenerator<Uint8Array, void> {
  throw error
}

function tooManyBodies(): StatusError {
  const text = 'too many bodies of requests arrive at once, and this one for longest'
  return new StatusError('TooManyRequests', text, { details: { retryAfterSeconds: 1 } })
}
