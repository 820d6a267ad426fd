import type { StatusError } from '../../kernel/errors/status-error.ts'
import type { Serializer } from '../../serializer/serializer.ts'
import { splitUrl } from '../http/query.ts'
import { type HttpRequest, headerOf } from '../http/request.ts'
import type { HttpResponse } from '../http/response.ts'
import { defaultMedia, type NegotiatedMedia, negotiate, offers } from './media-types.ts'
import { wantsPretty } from './pretty.ts'
import { failureBody, failureHeaders } from './status-body.ts'

/** The response that says what went wrong: a Status in the form that the client accepts, indented JSON if that is none of ours. */
export async function failureResponse(
  error: StatusError,
  request: HttpRequest,
  serializers: readonly Serializer[],
): Promise<HttpResponse> {
  const chosen = failureMedia(request, serializers)
  const { serializer, mediaType } = chosen ?? defaultMedia(serializers)
  const statusBody = failureBody(error)
  const pretty = chosen === undefined || wantsPretty(request, splitUrl(request.url).query, chosen)
  const body = await serializer.encodeDocument(JSON.stringify(statusBody), pretty)
  const headers = { 'Content-Type': mediaType, ...failureHeaders(error) }
  return { status: error.code, headers, body, statusBody }
}

function failureMedia(
  request: HttpRequest,
  serializers: readonly Serializer[],
): NegotiatedMedia | undefined {
  try {
    return negotiate(headerOf(request, 'accept'), offers.plain, serializers)
  } catch {
    return undefined
  }
}
