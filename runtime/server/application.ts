import { type IncomingMessage, ServerResponse } from 'node:http'
import Koa from 'koa'
import { type Awaitable, chainAwaitable } from '../kernel/async/awaitable.ts'
import { invariant } from '../kernel/errors/invariant.ts'
import type { Filter, Middleware, RequestContext, RequestState } from './context/filter.ts'
import type { ServerContext } from './context/server-context.ts'
import { composeFilters } from './filters/compose.ts'
import { handlerChain } from './filters/handler-chain.ts'
import { rawResponse } from './filters/raw-response.ts'
import { inProcessMessage } from './http/in-process.ts'
import { nodeRequest } from './http/node-message.ts'
import { type NodeWriter, nodeWriter } from './http/node-writer.ts'
import type { HttpRequest } from './http/request.ts'
import type { RawResponse } from './http/response.ts'

/** The Koa application of a server and its other entrances: every request passes the same filters. */
export interface Application {
  /** For mounting in another application: its first middleware writes the response, the others are the filters. */
  readonly koa: Koa
  /** A listener for node:http. What is in memory is answered at once, without a promise. */
  readonly handle: (message: IncomingMessage, response: ServerResponse) => void
  /**
   * The response to a request that node:http does not answer: a call in the same process, the handshake of a websocket. Rejects
   * only for a bug of a filter.
   */
  decide(request: HttpRequest, message?: IncomingMessage): Awaitable<RawResponse>
}

/**
 * Koa makes the context of each request. The chain is composed once, by our own function instead of `koa-compose`, and writes
 * to the raw response instead of leaving that to Koa: a context costs a tenth of a microsecond, Koa's composition and responder
 * would cost ten.
 */
export function createApplication(context: ServerContext, use: readonly Middleware[]): Application {
  const koa = new Koa()
  const filters = handlerChain(context, use)
  const writer = nodeWriter(context)
  const chain = [respond(context, writer), ...filters]
  for (const filter of chain) koa.use(filter as unknown as Koa.Middleware)
  const [answer, decide] = [composeFilters(chain), composeFilters(filters)]
  const contextOf = (message: IncomingMessage, response: ServerResponse): RequestContext =>
    koa.createContext<RequestState>(message, response)
  return {
    koa,
    handle: (message, response) => void answer(contextOf(message, response)),
    decide(request, message = inProcessMessage(request)) {
      const ctx = contextOf(message, new ServerResponse(message))
      ctx.state.request = request
      return chainAwaitable(decide(ctx), () => responseOf(ctx.state, context))
    },
  }
}

/**
 * The outermost middleware: brings a request of node:http into the chain, and writes what comes out of it. What fails here is a
 * bug or a client that is gone; its connection is ended.
 */
function respond(context: ServerContext, writer: NodeWriter): Filter {
  return function respond(ctx, next) {
    const { req, res, state } = ctx
    ctx.respond = false
    state.request = nodeRequest(req, context.limits)
    const send = (): Awaitable<void> => writer.send(res, responseOf(state, context))
    try {
      const work = next()
      if (work instanceof Promise) {
        return work.then(send).catch((error) => writer.failed(res, error))
      }
      return send()?.catch((error) => writer.failed(res, error))
    } catch (error) {
      writer.failed(res, error as Error)
    }
  }
}

/** The response of a chain that is done. */
function responseOf(state: RequestState, { flowHeaderNames }: ServerContext): RawResponse {
  const { response } = state
  invariant(response !== undefined, 'the last filter makes a response')
  return rawResponse(response, state, flowHeaderNames)
}
