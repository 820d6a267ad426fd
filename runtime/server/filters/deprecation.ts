import type { Filter, RequestState } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { HttpRequest } from '../http/request.ts'
import { hasVerb, type RequestInfo } from '../request/request-info.ts'
import { afterwards } from './compose.ts'

/** Warns of API versions that are deprecated, and tells what to use in place of those that are no longer served. */
export function deprecation(context: ServerContext): Filter {
  return function deprecation({ state }, next) {
    return afterwards(next(), () => {
      if (state.info.target === undefined) warnOfRemoval(context, state)
      else warnOfDeprecation(context, state)
    })
  }
}

/** A warning, an annotation of the audit event, and a metric by which an operator finds such clients before an upgrade. */
function warnOfDeprecation({ view, requestMetrics }: ServerContext, state: RequestState): void {
  const { target } = state.info
  if (!reached(state)) return
  const deprecation = target && view.deprecations.of(target.kind)
  if (target === undefined || deprecation === undefined) return
  requestMetrics.deprecated(target, deprecation.removedRelease)
  state.warnings = [...(state.warnings ?? []), deprecation.warning]
  state.annotations = { ...state.annotations, ...deprecation.annotations }
}

/** True unless the request has no verb or media type that the route knows, which a refusal with details says. */
function reached({ info, request, response }: RequestState): boolean {
  const refusals = response?.status === 406 || response?.status === 415
  return isRouted(info, request) && !(refusals && 'details' in (response.statusBody ?? {}))
}

/** A collection that can be listed has a route for reads, also where it cannot be watched. */
function isRouted({ verb, target }: RequestInfo, { method }: HttpRequest): boolean {
  if (verb !== undefined || target === undefined) return verb !== undefined
  return method === 'GET' && target.name === undefined && hasVerb(target, 'list')
}

/** A path of a removed version is a 404; the header and the log say what took its place. */
function warnOfRemoval({ view, log }: ServerContext, state: RequestState): void {
  const { info, response, request, auditId } = state
  if (response?.status !== 404 || info.segments === undefined) return
  const instead = view.deprecations.removalNotice(info.segments)
  if (instead === undefined) return
  state.warnings = [...(state.warnings ?? []), instead]
  log.warn('removed API requested', {
    audit: auditId,
    method: request.method,
    path: info.path,
    instead,
  })
}
