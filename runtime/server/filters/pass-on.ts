import type { IncomingMessage } from 'node:http'
import {
  type PassedBack,
  ServiceUnavailable,
  UnreachableError,
  WrongAuthorities,
} from '../../aggregator/aggregator.ts'
import type { RequestContext } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { type BodyStream, frameOf, type HttpResponse, textResponse } from '../http/response.ts'
import type { RemoteTarget } from '../request/remote-info.ts'
import { withoutCredentials } from './credential-headers.ts'
import { timeLimitMs } from './limits.ts'

/** Clients read discovery of all group versions before anything else, so none may hold them up for long. */
const discoveryMs = 5000

/** Has another server answer a request (B-03): who asks is said in headers, everything else goes as it came, streams included. */
export async function passOn(
  context: ServerContext,
  { state, res, req }: RequestContext,
  { server, resource, isLongRunning }: RemoteTarget,
): Promise<HttpResponse> {
  if (!server.version.isAvailable) return unavailable('service unavailable')
  const { clock, streams, requestTimeoutMs } = context
  const ended = new AbortController()
  streams.add(ended)
  const limitMs = timeLimitMs(requestTimeoutMs, state.request, state.info)
  const isDiscovery = resource === undefined && state.info.segments?.[0] === 'apis'
  const ms = isDiscovery ? Math.min(discoveryMs, limitMs) : limitMs
  const cancel = isLongRunning ? () => {} : clock.after(ms, () => ended.abort())
  const leave = (): void => ended.abort()
  const upgrades = (req as { readonly upgrade?: boolean }).upgrade === true
  const client = upgrades ? req.socket : res
  client.once('close', leave)
  const done = (): void => {
    cancel()
    streams.delete(ended)
    client.off('close', leave)
  }
  try {
    const answer = await server.passOn({
      request: withoutCredentials(state.request),
      user: state.user,
      auditId: state.auditId,
      upgrades,
      signal: ended.signal,
    })
    if (upgrades && answer.tunnel === undefined) return await refusedUpgrade(answer, done)
    const { passesRedirects } = server
    return passedResponse(answer, { method: state.request.method, passesRedirects, ended, done })
  } catch (error) {
    done()
    if (error instanceof ServiceUnavailable) return unavailable('service unavailable')
    if (error instanceof WrongAuthorities) return textResponse(500, `${error.message}\n`)
    if (!(error instanceof UnreachableError)) throw error
    const why = ended.signal.aborted ? 'context deadline exceeded' : error.message
    return unavailable(`error trying to reach service: ${why}`)
  }
}

/** Bytes of a refusal that are passed back. */
const refusalBytes = 64 * 1024

/** A server that did not take up another protocol: its refusal is passed back whole. */
export async function refusedUpgrade(
  { status, headers, message }: PassedBack,
  done: () => void,
): Promise<HttpResponse> {
  if (status < 400) {
    message.destroy()
    done()
    return unavailable(`invalid upgrade response: status code ${status}`)
  }
  const { 'Content-Length': _, ...kept } = headers
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > refusalBytes) break
  }
  done()
  return { status, headers: kept, body: Buffer.concat(chunks) }
}

/** In the words of the public server, which are a text and no Status here. */
function unavailable(text: string): HttpResponse {
  return textResponse(503, `${text}\n`)
}

/** An answer that is passed back, and what ends with it. */
export interface PassingBack {
  readonly method: string
  readonly passesRedirects: boolean
  readonly ended: AbortController
  /** Called when nothing of the answer is left to be passed back. */
  readonly done: () => void
}

/** The answer of another server as the response of this one. */
export function passedResponse(
  { status, headers, message, tunnel }: PassedBack,
  passing: PassingBack,
): HttpResponse {
  const { method, passesRedirects, ended, done } = passing
  if (tunnel !== undefined) {
    tunnel.socket.once('close', done)
    ended.signal.addEventListener('abort', () => tunnel.socket.destroy())
    return { status, headers, body: new Uint8Array(0), tunnel }
  }
  const isRedirect = status >= 300 && status <= 399 && headers.Location !== undefined
  if (isRedirect && !passesRedirects) {
    message.destroy()
    done()
    const text = 'the backend attempted to redirect this request, which is not permitted'
    const own = { 'Content-Type': 'text/plain; charset=utf-8' }
    return { status: 502, headers: own, body: Buffer.from(text) }
  }
  if (method === 'HEAD' || status === 204 || status === 304) {
    message.resume()
    done()
    return { status, headers, body: async () => {} }
  }
  return { status, headers, body: passedBody(message, passing), takesBody: true }
}

/** The body as it arrives, as fast as the client takes it. One that breaks off is cut off for the client, too. */
function passedBody(message: IncomingMessage, { ended, done }: PassingBack): BodyStream {
  return async (sink) => {
    let isClosed = false
    sink.onClose(() => {
      isClosed = true
      ended.abort()
    })
    try {
      for await (const chunk of message as AsyncIterable<Buffer>) {
        if (!sink.write(frameOf(chunk))) await sink.drained()
      }
    } catch (error) {
      if (!isClosed) throw error
    } finally {
      done()
    }
  }
}
