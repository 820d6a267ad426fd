import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { PieceMemory, SegmentedBody, StreamedBody } from '../../serializer/serializer.ts'
import { peerOf } from '../../serving/serving.ts'
import type { BodyLimits, HttpRequest } from './request.ts'
import type { BodyStream, Frame, RawResponse, Sink } from './response.ts'

/**
 * A request of node:http as the filters see it. Its body may be left unread without ending the connection, since the response
 * that says why has to arrive.
 */
export function nodeRequest(request: IncomingMessage, limits: BodyLimits): HttpRequest {
  const { url, host } = originForm(request.url ?? '/')
  return {
    method: request.method ?? 'GET',
    url,
    headers: host === undefined ? request.headers : { ...request.headers, host },
    rawHeaders: request.rawHeaders,
    limits,
    peer: peerOf(request.socket),
    body: () => request.iterator({ destroyOnReturn: false }),
  }
}

/** Bytes of an unread body that are taken in beside its response: a client that is cut off while it sends may not see the response. */
const unreadBytes = 4 * 1024 * 1024

/** Milliseconds for the same. */
const unreadMs = 5000

/**
 * Discards what the response did not wait for of its request's body. True if there is any: then the connection ends with the
 * response. A client that sends more than `unreadBytes` is cut off.
 */
function discardBody(request: IncomingMessage): boolean {
  const { complete, headers } = request
  if (complete || !(headers['content-length'] || headers['transfer-encoding'])) return false
  let left = unreadBytes
  request.on('data', ({ length }: Buffer) => {
    left -= length
    if (left < 0) request.destroy()
  })
  request.resume()
  return true
}

/** Ends a response, and one whose request is not read to its end a little later. */
function endResponse(response: ServerResponse, timer: StallTimer, unread: boolean): void {
  if (!unread) return void response.end()
  const end = (): void => void response.end()
  response.req.once('end', end)
  response.once('close', timer.after(end, unreadMs))
}

/** A target that names the server, too, as clients of a proxy write it. */
const absoluteForm = /^https?:\/\/(?<host>[^/?]*)/i

/** A target as path and query. The server that it names is the one that is meant, whatever `Host` says (RFC 9112, section 3.2.2). */
function originForm(target: string): { readonly url: string; readonly host?: string } {
  if (target.startsWith('/')) return { url: target }
  const [named = '', host] = absoluteForm.exec(target) ?? []
  const url = target.slice(named.length)
  const path = url.startsWith('/') ? url : `/${url}`
  return host === undefined ? { url: path } : { url: path, host }
}

/** Bounds how long a receiver may take nothing of what is sent to it. */
export interface StallTimer {
  /** Calls `cut` once that time is over, or `ms`, unless the function that it returns is called before. */
  after(cut: () => void, ms?: number): () => void
}

/** Bytes of a segmented body that are handed to the socket before the receiver is waited for. */
const gatheredBytes = 512 * 1024

/** Bytes that fit into what the system buffers for a connection, so that no receiver can hold them up. */
const largeBytes = 64 * 1024

/**
 * Sends a response: done when it is handed over or the client is gone, without a promise for a body that is in memory. A
 * receiver that takes nothing is cut off. Rejects if the body fails; the connection is then ended.
 */
export function sendResponse(
  response: ServerResponse,
  { status, headers: own, body, takesBody }: RawResponse,
  timer: StallTimer,
): void | Promise<void> {
  const headers = own as OutgoingHttpHeader[]
  const unread = !takesBody && discardBody(response.req)
  if (unread) headers.push('Connection', 'close')
  const end = (): void =>
    endResponse(response, timer, takesBody ? discardBody(response.req) : unread)
  if (typeof body === 'function') {
    response.writeHead(status, headers)
    response.flushHeaders()
    if (response.req.method === 'HEAD') return end()
    return sendStream(response, body, timer, end)
  }
  if (body.length === undefined) {
    response.writeHead(status, headers)
    return sendPieces(response, body, timer, end)
  }
  if (status !== 304 && status !== 204) headers.push('Content-Length', body.length)
  response.writeHead(status, headers)
  if (!(body instanceof Uint8Array)) return sendSegments(response, body, timer, end)
  if (body.length > largeBytes) destroyIfStalled(response, timer)
  if (!unread) return void response.end(body)
  response.write(body)
  end()
}

/** The end of a response waits for its receiver, but not for ever. */
function destroyIfStalled(response: ServerResponse, timer: StallTimer): void {
  response.once(
    'close',
    timer.after(() => response.destroy()),
  )
}

/** A stream that fails behind its headers can only be cut off: an orderly end would say that it is complete. */
async function sendStream(
  response: ServerResponse,
  body: BodyStream,
  timer: StallTimer,
  end: () => void,
): Promise<void> {
  try {
    await body(nodeSink(response, timer))
    if (response.destroyed) return
    destroyIfStalled(response, timer)
    end()
  } catch (error) {
    response.destroy()
    throw error
  }
}

/** Memory for the pieces of one response, which are copied by the system when it takes them. What does not fit gets memory of its own. */
class ReusedMemory implements PieceMemory {
  #bytes = Buffer.alloc(0)
  #used = 0

  take(length: number): Buffer {
    if (this.#bytes.length === 0) this.#bytes = Buffer.allocUnsafeSlow(2 * gatheredBytes)
    const end = this.#used + length
    if (end > this.#bytes.length) return Buffer.allocUnsafeSlow(length)
    const piece = this.#bytes.subarray(this.#used, end)
    this.#used = end
    return piece
  }

  /** All that was taken is sent. */
  reuse(): void {
    this.#used = 0
  }
}

/** Hands over a body of known length as fast as the receiver takes it. */
async function sendSegments(
  response: ServerResponse,
  body: SegmentedBody,
  timer: StallTimer,
  end: () => void,
): Promise<void> {
  if (response.req.method === 'HEAD') return end()
  const sink = nodeSink(response, timer)
  const memory = new ReusedMemory()
  let gathered = 0
  for (const piece of body.segments(memory)) {
    if (response.destroyed) return
    gathered += piece.length
    if (response.write(piece) || gathered < gatheredBytes) continue
    gathered = 0
    await sink.drained()
    if (response.writableLength === 0) memory.reuse()
  }
  destroyIfStalled(response, timer)
  end()
}

/** Hands over what is made meanwhile as fast as the receiver takes it. What fails in the middle can only be cut off. */
async function sendPieces(
  response: ServerResponse,
  body: StreamedBody,
  timer: StallTimer,
  end: () => void,
): Promise<void> {
  if (response.req.method === 'HEAD') return end()
  const sink = nodeSink(response, timer)
  try {
    for await (const piece of body.pieces()) {
      if (response.destroyed) return
      if (!response.write(piece)) await sink.drained()
      if (response.destroyed) return
    }
  } catch (error) {
    response.destroy()
    throw error
  }
  destroyIfStalled(response, timer)
  end()
}

/**
 * A response as a sink. Once the headers are out, frames go to the socket as they are: they have their own chunk
 * framing, so that an event which a thousand watchers see is framed once. node:http would frame it for each of them.
 */
function nodeSink(response: ServerResponse, timer: StallTimer): Sink {
  const direct = (): Socket | null => (response.chunkedEncoding ? response.socket : null)
  return {
    write({ payload, chunk }: Frame) {
      if (response.destroyed) return true
      return direct()?.write(chunk) ?? response.write(payload)
    },
    cork(writes) {
      const socket = direct()
      socket?.cork()
      writes()
      socket?.uncork()
    },
    drained() {
      return new Promise((resolve) => {
        const socket = response.socket
        if (response.destroyed || socket === null || !socket.writableNeedDrain) return resolve()
        const cancel = timer.after(() => socket.destroy())
        const done = (): void => {
          socket.off('drain', done)
          cancel()
          response.off('close', done)
          resolve()
        }
        socket.on('drain', done)
        response.on('close', done)
      })
    },
    onClose(run) {
      if (response.destroyed) run()
      else response.once('close', run)
    },
  }
}
