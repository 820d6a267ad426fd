import type { StatusError } from '../../kernel/errors/status-error.ts'
import { type HttpRequest, type HttpResponse, headerOf } from '../http/message.ts'
import { splitUrl } from '../request/query.ts'
import { applyLayout, layoutOf } from './layout.ts'
import { contentType, type NegotiatedMedia, negotiate, offers, plainJson } from './media-types.ts'
import { type ProtobufFormat, protobufDocument } from './protobuf.ts'
import { failureBody, failureHeaders } from './status-body.ts'

/** The response that says what went wrong: a Status in the form that the client accepts, JSON if that is none of ours. */
export async function failureResponse(
  error: StatusError,
  request: HttpRequest,
  protobuf: ProtobufFormat | undefined,
): Promise<HttpResponse> {
  const media = failureMedia(request, protobuf)
  const statusBody = failureBody(error)
  const body =
    media.format === 'protobuf' && protobuf !== undefined
      ? await protobufDocument(protobuf, statusBody)
      : await applyLayout(
          JSON.stringify(statusBody),
          layoutOf(media, request, splitUrl(request.url).query),
        )
  const headers = { 'Content-Type': contentType(media), ...failureHeaders(error) }
  return { status: error.code, headers, body, statusBody }
}

function failureMedia(request: HttpRequest, protobuf: ProtobufFormat | undefined): NegotiatedMedia {
  const offer = { ...offers.plain, ...(protobuf && { binary: protobuf.types }) }
  try {
    return negotiate(headerOf(request, 'accept'), offer)
  } catch {
    return plainJson
  }
}
