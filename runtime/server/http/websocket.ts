/**
 * Watches over a websocket (V-08): one message for each event, binary in a format whose events have a length before them,
 * text in any other. Only a watch is upgraded; any other request with an upgrade header gets the response it would get
 * without.
 */
import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { Log } from '../../observe/observe.ts'
import type { Limits } from './limits.ts'
import { nodeRequest, type StallTimer } from './node-message.ts'
import { splitUrl } from './query.ts'
import type { HttpRequest } from './request.ts'
import type { BodyStream, RawResponse } from './response.ts'
import { connectTunnel } from './tunnel.ts'
import { frameHead, frameReader, opcodes } from './websocket-frames.ts'
import {
  acceptanceHead,
  headerLines,
  rejectionHead,
  rejectionStatus,
} from './websocket-handshake.ts'
import { closeWebsocket, endSocket, isClosed, websocketSink } from './websocket-sink.ts'

/**
 * Requests that node:http takes for an upgrade only if they are watches that request a websocket, or `mayUpgrade` says so of their URL. Without
 * this, node:http would leave every other request with an `Upgrade` header unanswered.
 */
export function upgradableMessage(mayUpgrade: (url: string) => boolean): typeof IncomingMessage {
  return class UpgradableMessage extends IncomingMessage {
    declare private requested: boolean | null

    get upgrade(): boolean {
      if (this.requested !== true) return false
      return this.method === 'CONNECT' || isWebsocketWatch(this) || mayUpgrade(this.url ?? '')
    }

    set upgrade(value: boolean | null) {
      this.requested = value
    }
  }
}

/** `?watch` or the old prefix `/watch/`: the routes are not known here. */
function isWebsocketWatch({ method, headers, url = '' }: IncomingMessage): boolean {
  if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false
  const { path, query } = splitUrl(url)
  return query.flag('watch') || /^\/(api|apis\/[^/]+)\/[^/]+\/watch\//.test(path)
}

/** A listener for the upgrades of node:http. `head` is what came behind the request already. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** What bounds and reports websockets. */
export interface WebsocketOptions {
  readonly clock: Clock
  readonly log: Log
  readonly limits: Limits
  /** True for URLs of other servers, which say themselves what connections become. */
  readonly mayUpgrade: (url: string) => boolean
}

/**
 * Serves watches over websockets, and connects clients with other servers. `decide` makes the response that the same request would have
 * in HTTP.
 */
export function upgrades(
  decide: (request: HttpRequest, message: IncomingMessage) => Awaitable<RawResponse>,
  { limits, clock, log, mayUpgrade }: WebsocketOptions,
): UpgradeHandler {
  const timer: StallTimer = {
    after: (cut, ms = limits.stalledMs) => clock.after(ms, cut),
  }
  return (request, duplex, head) => {
    const socket = duplex as Socket
    socket.on('error', () => socket.destroy())
    const serve = async (): Promise<void> => {
      const refused = rejectionStatus(request)
      if (refused !== undefined && !mayUpgrade(request.url ?? '')) {
        return rejectUpgrade(
          socket,
          { status: refused, headers: [], body: new Uint8Array(0) },
          timer,
        )
      }
      const response = await decide(nodeRequest(request, limits), request)
      const { status, headers, body, tunnel } = response
      if (tunnel !== undefined) return connectTunnel(socket, head, response, tunnel)
      if (status !== 200 || typeof body !== 'function')
        return rejectUpgrade(socket, response, timer)
      return serveWebsocket(request, socket, head, headers, body, timer)
    }
    serve().catch((error: unknown) => {
      socket.destroy()
      log.error('websocket ended', {}, error)
    })
  }
}

/** Answers in HTTP, as any other request would be. */
function rejectUpgrade(
  socket: Socket,
  { status, headers, body }: Pick<RawResponse, 'status' | 'headers' | 'body'>,
  timer: StallTimer,
): void {
  const text = body instanceof Uint8Array ? body : new Uint8Array(0)
  socket.write(rejectionHead({ status, headers }, text.length))
  socket.write(text)
  endSocket(socket, timer)
}

/** Runs a watch until it ends, the client closes or breaks the protocol. A ping is answered unless the client reads nothing. */
async function serveWebsocket(
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  headers: RawResponse['headers'],
  body: BodyStream,
  timer: StallTimer,
): Promise<void> {
  socket.setNoDelay(true)
  socket.write(acceptanceHead(request, headers))
  const read = frameReader({
    control(opcode, content) {
      if (opcode === opcodes.close) closeWebsocket(socket, 1000, timer)
      if (opcode !== opcodes.ping || socket.writableNeedDrain || isClosed(socket)) return
      socket.write(Buffer.concat([frameHead(opcodes.pong, content.length), content]))
    },
    broken: () => closeWebsocket(socket, 1002, timer),
  })
  socket.on('data', read)
  socket.on('end', () => endSocket(socket, timer))
  if (head.length > 0) read(head)
  const binary = headerLines(headers).some((line) => /^content-type:.*;\s*stream=watch/i.test(line))
  await body(websocketSink(socket, binary, timer))
  closeWebsocket(socket, 1000, timer)
}
