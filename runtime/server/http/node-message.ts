import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { SegmentedBody } from '../../serializer/serializer.ts'
import type { BodyLimits, BodyStream, Frame, HttpRequest, RawResponse, Sink } from './message.ts'

/**
 * A request of node:http as this room sees it. Whoever stops reading its body leaves the connection alive: the answer
 * that says why has to arrive.
 */
export function nodeRequest(request: IncomingMessage, limits: BodyLimits): HttpRequest {
  return {
    method: request.method ?? 'GET',
    url: originForm(request.url ?? '/'),
    headers: request.headers,
    limits,
    peer: request.socket,
    body: () => request.iterator({ destroyOnReturn: false }),
  }
}

/** How much of a body that nobody waits for any more is taken in, so that the connection can go on. */
const unreadBytes = 4 * 1024 * 1024

/**
 * Throws away what an answer did not wait for of its request's body, for the connection's next request comes behind it. A
 * client that goes on and on is cut off.
 */
export function discardBody(request: IncomingMessage): void {
  const { complete, headers } = request
  if (complete || !(headers['content-length'] || headers['transfer-encoding'])) return
  let room = unreadBytes
  request.on('data', ({ length }: Buffer) => {
    room -= length
    if (room < 0) request.destroy()
  })
  request.resume()
}

/** A client that takes the server for a proxy names it in the target, too: RFC 9112, section 3.2.2. */
function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const path = target.replace(/^https?:\/\/[^/?]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}

/** How long a receiver may leave what is sent to it: runs what cuts it off, unless it is cancelled before. */
export interface StallTimer {
  after(cut: () => void): () => void
}

/** Pieces up to this length together go out in one packet. */
const gatheredBytes = 512 * 1024

/** Below this a body fits into what the system keeps for a connection anyway. */
const largeBytes = 64 * 1024

/**
 * Sends an answer: done when it is handed over or the client is gone, at once for what needs no waiting. Whoever does not
 * take it is cut off.
 */
export function sendResponse(
  response: ServerResponse,
  { status, headers: told, body }: RawResponse,
  patience: StallTimer,
): void | Promise<void> {
  const headers = told as OutgoingHttpHeader[]
  if (typeof body === 'function') {
    response.writeHead(status, headers)
    if (response.req.method === 'HEAD') return void response.end()
    response.flushHeaders()
    return sendStream(response, body, patience)
  }
  if (status !== 304) headers.push('Content-Length', body.length)
  response.writeHead(status, headers)
  if (!(body instanceof Uint8Array)) return sendSegments(response, body, patience)
  if (body.length > largeBytes) destroyIfStalled(response, patience)
  response.end(body)
}

/** A receiver that takes nothing may not hold the end of an answer for ever. */
function destroyIfStalled(response: ServerResponse, patience: StallTimer): void {
  response.once(
    'close',
    patience.after(() => response.destroy()),
  )
}

/** A stream that fails after its head is out can only be cut off: an orderly end would say that it is complete. */
async function sendStream(
  response: ServerResponse,
  body: BodyStream,
  patience: StallTimer,
): Promise<void> {
  try {
    await body(nodeSink(response, patience))
    if (response.destroyed) return
    destroyIfStalled(response, patience)
    response.end()
  } catch (error) {
    response.destroy()
    throw error
  }
}

async function sendSegments(
  response: ServerResponse,
  body: SegmentedBody,
  patience: StallTimer,
): Promise<void> {
  if (response.req.method === 'HEAD') return void response.end()
  const sink = nodeSink(response, patience)
  let gathered = 0
  for (const piece of body.segments()) {
    if (response.destroyed) return
    gathered += piece.length
    if (response.write(piece) || gathered < gatheredBytes) continue
    gathered = 0
    await sink.drained()
  }
  destroyIfStalled(response, patience)
  response.end()
}

/**
 * A response as a sink. Once the headers are out, frames go to the socket as they are: they carry their own chunk
 * framing, so an event that a thousand watchers see is framed once.
 */
function nodeSink(response: ServerResponse, patience: StallTimer): Sink {
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
        const cancel = patience.after(() => socket.destroy())
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
