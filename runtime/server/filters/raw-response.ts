import type { FlowDecision, FlowHeaderNames } from '../flow/flow-control.ts'
import type { HttpResponse, RawResponse } from '../http/response.ts'
import { warningHeaders } from '../http/warning-header.ts'

/** What a request adds to the headers of its response. */
export interface ResponseFacts {
  readonly auditId: string
  readonly flowDecision?: FlowDecision
  readonly warnings?: readonly string[]
}

/**
 * A response with the headers of every response. They are gathered in one list, once, since each request comes through here.
 */
export function rawResponse(
  { status, headers, body, tunnel, takesBody }: HttpResponse,
  { auditId, flowDecision, warnings }: ResponseFacts,
  flowHeaderNames: FlowHeaderNames,
): RawResponse {
  const all: (string | readonly string[])[] = ['Audit-Id', auditId]
  if (headers['Cache-Control'] === undefined) all.push('Cache-Control', 'no-cache, private')
  if (flowDecision !== undefined && flowDecision.flowSchemaUid !== '') {
    const { flowSchemaUid, priorityLevelUid } = flowDecision
    all.push(flowHeaderNames.schema, flowSchemaUid, flowHeaderNames.level, priorityLevelUid)
  }
  for (const name in headers) {
    if (name !== 'Warning' || warnings === undefined) all.push(name, headers[name] ?? '')
  }
  if (warnings !== undefined) {
    const { Warning: others = [] } = headers
    all.push('Warning', [...warningHeaders(warnings), ...[others].flat()])
  }
  if (tunnel !== undefined) return { status, headers: all, body, tunnel }
  return takesBody ? { status, headers: all, body, takesBody } : { status, headers: all, body }
}
