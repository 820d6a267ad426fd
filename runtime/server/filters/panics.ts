import type { Awaitable } from '../../kernel/async/awaitable.ts'
import { logUnexpectedError } from '../../observe/observe.ts'
import { admissionNotesOf } from '../../registry/registry.ts'
import type { Filter, RequestState } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { type HttpResponse, textResponse } from '../http/response.ts'
import { warningHeaders } from '../http/warning-header.ts'
import { failureResponse } from '../negotiation/failure-response.ts'
import { toStatus } from '../negotiation/status-body.ts'

/**
 * Turns whatever is thrown behind it into a response: a StatusError into its Status, an error of Koa (`ctx.throw(403)`) into
 * its text. Anything else is a bug of the server: it is logged with its stack, and the client gets an InternalError that names
 * the audit id and nothing else.
 */
export function panics(context: ServerContext): Filter {
  return function panics({ state }, next) {
    let work: Awaitable<void>
    try {
      work = next()
    } catch (error) {
      return recover(context, state, error)
    }
    if (work instanceof Promise) return work.catch((error) => recover(context, state, error))
  }
}

/** The response to an error. */
async function recover(
  { log, serializers }: ServerContext,
  state: RequestState,
  error: unknown,
): Promise<void> {
  const { request, auditId } = state
  if (isHttpError(error)) {
    state.response = textResponse(error.status, `${error.message}\n`)
    return
  }
  const status = toStatus(error, auditId, (bug) =>
    logUnexpectedError(log, auditId, request.method, bug),
  )
  const response = await failureResponse(status, request, serializers)
  const internalError = status !== error && ({ internalError: true } as const)
  state.response = withAdmissionNotes({ ...response, ...internalError }, error)
}

/** A refusal with what admission plugins warned of and annotated before it. */
function withAdmissionNotes(response: HttpResponse, error: unknown): HttpResponse {
  const notes = admissionNotesOf(error)
  if (notes === undefined) return response
  const { warnings, annotations } = notes
  const headers = warnings.length > 0 && { Warning: warningHeaders(warnings) }
  return { ...response, headers: { ...response.headers, ...headers }, annotations }
}

/** An error whose message clients may read. */
interface HttpError extends Error {
  readonly status: number
}

/** True for what `ctx.throw` of Koa and the package `http-errors` throw for clients to read. */
function isHttpError(error: unknown): error is HttpError {
  if (!(error instanceof Error) || !('expose' in error) || !('status' in error)) return false
  return error.expose === true && typeof error.status === 'number'
}
