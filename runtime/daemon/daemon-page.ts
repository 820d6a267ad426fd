import type { IncomingMessage } from 'node:http'
import { type EndpointContext, sendText } from './endpoint-context.ts'

/** What a page reads of a context of Koa: a page of a daemon alone, or a middleware of a server. */
export interface PageContext extends EndpointContext {
  readonly req: IncomingMessage
}

/** A page beside the endpoints, as a middleware of Koa. Other paths are left to the next one. */
export type DaemonPage = (ctx: PageContext, next: () => Promise<void>) => Promise<void>

/** True for a request that reads; another one is refused. */
export function isReading(ctx: PageContext): boolean {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return true
  ctx.set('Allow', 'GET, HEAD')
  sendText(ctx, 405, '405: Method Not Allowed')
  return false
}

/** Sends a page of our own. */
export function sendPage(ctx: PageContext, html: string): void {
  ctx.set('Content-Type', 'text/html; charset=utf-8')
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.status = 200
  ctx.body = html
}

/** Sends to another path. */
export function sendAway(ctx: PageContext, status: 301 | 302, location: string): void {
  ctx.set('Location', location)
  ctx.status = status
  ctx.body = ''
}
