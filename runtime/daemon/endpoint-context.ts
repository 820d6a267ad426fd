/** What the endpoints need of a context of Koa. */
export interface EndpointContext {
  readonly method: string
  readonly path: string
  readonly querystring: string
  /** The request of Node, where there is a connection. */
  readonly req?: { readonly socket: { readonly remoteAddress?: string | undefined } }
  /** The value of a header of the request, empty if it is not there. */
  get(header: string): string
  set(header: string, value: string): void
  status: number
  body: unknown
}

/** Answers with plain text, which browsers may not take for anything else. */
export function sendText(ctx: EndpointContext, status: number, text: string): void {
  ctx.set('X-Content-Type-Options', 'nosniff')
  sendWord(ctx, status, text)
}

/** Answers with a text of our own choice that needs no protection from browsers. */
export function sendWord(ctx: EndpointContext, status: number, text: string): void {
  ctx.set('Content-Type', 'text/plain; charset=utf-8')
  ctx.status = status
  ctx.body = text
}
