import { logRequest } from '../../observe/observe.ts'
import type { Filter, RequestState } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { annotationsOf } from './annotations.ts'
import { afterwards } from './compose.ts'

/**
 * Reports every request that was answered: to the log at level debug, and to `onRequestCompleted`. It costs nothing where
 * neither wants it.
 */
export function completion(context: ServerContext): Filter {
  const { log, onRequestCompleted } = context
  return function completion({ state }, next) {
    const work = next()
    if (!log.debugging && onRequestCompleted === undefined) return work
    return afterwards(work, () => report(context, state))
  }
}

/** Milliseconds are counted from the arrival of the request to the decision of its response. */
function report({ log, clock, onRequestCompleted }: ServerContext, state: RequestState): void {
  const { auditId, info, user, receivedAt, response, request } = state
  const { method } = request
  const status = response?.status ?? 0
  onRequestCompleted?.({ auditId, info, user, method, status, annotations: annotationsOf(state) })
  if (!log.debugging) return
  const ms = clock.now() - receivedAt
  logRequest(log, { audit: auditId, method, path: info.path, status, ms })
}
