import type { IncomingMessage, ServerResponse } from 'node:http'
import type { NodeView } from '../contract/node-view.ts'

/** A request for a page, its path cut into steps. */
export interface PageRequest {
  readonly view: NodeView
  /** The steps behind the first one, decoded. */
  readonly rest: readonly string[]
  readonly query: URLSearchParams
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Answers a request, whose path begins with the page's name. @throws Refusal. */
export type AgentPage = (request: PageRequest) => Promise<void>

/** Sends a whole answer. */
export function send(response: ServerResponse, type: string, text: string | Buffer): void {
  response.writeHead(200, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'X-Content-Type-Options': 'nosniff',
  })
  response.end(text)
}

/** Sends a value as JSON. */
export function sendJson(response: ServerResponse, value: object): void {
  send(response, 'application/json', JSON.stringify(value))
}
