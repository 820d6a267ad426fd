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

/** Sends an answer and resolves when it is sent or the client is gone. */
export async function send(response: ServerResponse, answer: Answer): Promise<void> {
  const { status, headers, body } = answer
  if (typeof body === 'function') {
    response.writeHead(status, headers as Record<string, string | string[]>)
    if (response.req.method === 'HEAD') return void response.end()
    response.flushHeaders()
    return sendStream(response, body)
  }
  response.writeHead(status, {
    ...(headers as Record<string, string | string[]>),
    ...(status !== 304 && { 'Content-Length': body.length }),
  })
  if (body instanceof Uint8Array) response.end(body)
  else await sendPieces(response, body)
}

/** A stream that fails after its head is out can only be cut off: an orderly end would say that it is complete. */
async function sendStream(response: ServerResponse, body: Stream): Promise<void> {
  try {
    await body(nodeSink(response))
    response.end()
  } catch (error) {
    response.destroy()
    throw error
  }
}

async function sendPieces(response: ServerResponse, body: Pieces): Promise<void> {
  if (response.req.method === 'HEAD') return void response.end()
  const sink = nodeSink(response)
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
function nodeSink(response: ServerResponse): Sink {
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
        const done = (): void => {
          socket.off('drain', done)
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
