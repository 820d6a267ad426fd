import type { Clock } from '../../kernel/async/clock.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { Filter, RequestState } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { timeoutOf } from '../http/query.ts'
import type { HttpRequest } from '../http/request.ts'
import { isConnection, type RequestInfo } from '../request/request-info.ts'

/** The refusal of a request that takes too long. */
export function timedOut(): StatusError {
  return new StatusError('Timeout', 'Timeout: request did not complete within the allotted timeout')
}

/** Writes are given up earlier than reads, in milliseconds: a client that waits for one holds back others. */
const writeTimeoutMs = 34_000

/**
 * Answers a request that takes too long with a Timeout. Its handler goes on, and a write may still land: a client has to look.
 * What is decided at once has no deadline.
 */
export function limits({ clock, requestTimeoutMs }: ServerContext): Filter {
  return function limits({ state }, next) {
    const ms = timeLimitMs(requestTimeoutMs, state.request, state.info)
    if (
      state.info.remote?.isLongRunning ||
      isConnection(state.info.target) ||
      isProfile(state.info)
    )
      return next()
    const work = next()
    if (work instanceof Promise) return withDeadline(clock, ms, work, state)
  }
}

/** True for a profile of the process, which takes the time that was asked for. */
function isProfile({ target, segments = [] }: RequestInfo): boolean {
  return target === undefined && segments[0] === 'debug' && segments[1] === 'pprof'
}

/**
 * Milliseconds: the server's limit, or less if the client says so by `timeout` (or `timeoutSeconds` of a read). A watch has no `timeout`.
 *
 * @throws StatusError BadRequest for a `timeout` that cannot be read.
 */
export function timeLimitMs(
  requestTimeoutMs: number,
  request: HttpRequest,
  info: RequestInfo,
): number {
  const reads = request.method === 'GET' || request.method === 'HEAD'
  const own = reads ? requestTimeoutMs : Math.min(requestTimeoutMs, writeTimeoutMs)
  if (!request.url.includes('timeout')) return own
  const { query } = info
  const seconds = reads ? secondsOf(query.text('timeoutSeconds')) : undefined
  const timeout = watchesAll(info, reads) ? undefined : timeoutOf(query)
  return Math.min(own, timeout ?? own, seconds ? seconds * 1000 : own)
}

/** True for a watch of a collection, also of a kind that cannot be watched or is not served: its path alone says so. */
function watchesAll({ segments = [], query }: RequestInfo, reads: boolean): boolean {
  const [first, ...rest] = segments.slice(segments[0] === 'api' ? 2 : 3)
  if ((segments[0] !== 'api' && segments[0] !== 'apis') || first === undefined) return false
  if (first === 'watch' && rest.length > 0) return true
  const inNamespace = first === 'namespaces' && rest.length > 1 && !parts.has(rest[1] ?? '')
  return reads && rest.length === (inNamespace ? 2 : 0) && query.flag('watch')
}

/** What stands behind the name of a namespace and is no resource in it. */
const parts: ReadonlySet<string> = new Set(['status', 'finalize'])

/** What is no number is for the verb to refuse, if it has one. */
function secondsOf(text = ''): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** The work, or a Timeout once `ms` are over. */
function withDeadline(
  clock: Clock,
  ms: number,
  work: Promise<void>,
  state: RequestState,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      state.timedOut = true
      reject(timedOut())
    })
    work.finally(cancel).then(resolve, reject)
  })
}
