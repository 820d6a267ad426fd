import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Answer, Frame, Incoming, Pieces, Sink, Stream } from './exchange.ts'

/**
 * A request of node:http as this room sees it. Whoever stops reading its body leaves the connection alive: the answer
 * that says why has to arrive.
 */
export function incomingOf(request: IncomingMessage): Incoming {
  return {
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    headers: request.headers,
    body: () => request.iterator({ destroyOnReturn: false }),
  }
}

/** Below this a body fits into what the system keeps for a connection anyway. */
const largeBytes = 64 * 1024

/** Sends an answer and resolves when it is sent or the client is gone. Whoever takes nothing for `stalledMs` is cut off. */
export async function send(
  response: ServerResponse,
  answer: Answer,
  stalledMs: number,
): Promise<void> {
  const { status, headers, body } = answer
  if (typeof body === 'function') {
    response.writeHead(status, headers as Record<string, string | string[]>)
    if (response.req.method === 'HEAD') return void response.end()
    response.flushHeaders()
    return sendStream(response, body, stalledMs)
  }
  response.writeHead(status, {
    ...(headers as Record<string, string | string[]>),
    ...(status !== 304 && { 'Content-Length': body.length }),
  })
  if (!(body instanceof Uint8Array)) return sendPieces(response, body, stalledMs)
  // A receiver that takes nothing may not hold a large body for ever; node:http sets its own timeout afterwards.
  if (body.length > largeBytes) response.setTimeout(stalledMs, () => response.destroy())
  response.end(body)
}

/** A stream that fails after its head is out can only be cut off: an orderly end would say that it is complete. */
async function sendStream(
  response: ServerResponse,
  body: Stream,
  stalledMs: number,
): Promise<void> {
  try {
    await body(nodeSink(response, stalledMs))
    response.end()
  } catch (error) {
    response.destroy()
    throw error
  }
}

async function sendPieces(
  response: ServerResponse,
  body: Pieces,
  stalledMs: number,
): Promise<void> {
  if (response.req.method === 'HEAD') return void response.end()
  const sink = nodeSink(response, stalledMs)
  for (const piece of body.pieces()) {
    if (response.destroyed) return
    if (!response.write(piece)) await sink.drained()
  }
  response.end()
}

/**
 * A response as a sink. Once the headers are out, frames go to the socket as they are: they carry their own chunk
 * framing, so an event that a thousand watchers see is framed once.
 */
function nodeSink(response: ServerResponse, stalledMs: number): Sink {
  const direct = (): Socket | null => (response.chunkedEncoding ? response.socket : null)
  return {
    write({ payload, chunk }: Frame) {
      if (response.destroyed) return true
      return direct()?.write(chunk) ?? response.write(payload)
    },
    together(writes) {
      const socket = direct()
      socket?.cork()
      writes()
      socket?.uncork()
    },
    drained() {
      return new Promise((resolve) => {
        const socket = response.socket
        if (response.destroyed || socket === null || !socket.writableNeedDrain) return resolve()
        const stalled = (): void => void socket.destroy()
        const done = (): void => {
          socket.off('drain', done)
          socket.off('timeout', stalled)
          socket.setTimeout(0)
          response.off('close', done)
          resolve()
        }
        socket.setTimeout(stalledMs)
        socket.on('timeout', stalled)
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
