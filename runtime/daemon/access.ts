import type { IncomingMessage } from 'node:http'
import {
  type Authenticator,
  type AuthorizationAttributes,
  type Authorizer,
  forbiddenError,
  type UserInfo,
  unauthorizedError,
} from '../auth/auth.ts'
import type { StatusError } from '../kernel/errors/status-error.ts'
import type { Log } from '../observe/observe.ts'
import { peerOf } from '../serving/serving.ts'
import { type EndpointContext, sendText } from './endpoint-context.ts'

/** Who may ask a daemon for what. */
export interface DaemonAccess {
  /** Names the user; the anonymous one too, or a request without credentials is refused. */
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  readonly log: Log
}

/** What is read of a context of Koa to find out who asks. */
export interface CallerContext extends EndpointContext {
  readonly req: IncomingMessage
}

/**
 * Refuses requests whose credentials do not hold (401) and those that their user may not make (403). The path is what is asked for. Nothing
 * on the way keeps an answer, which is one user's.
 */
export function guard({
  authenticator,
  authorizer,
  log,
}: DaemonAccess): (ctx: CallerContext, next: () => Promise<void>) => Promise<void> {
  return async function guard(ctx, next) {
    ctx.set('Cache-Control', 'no-cache, private')
    const user = await userOf(ctx)
    if (user === undefined) return sendError(ctx, unauthorizedError())
    const attributes = attributesOf(ctx, user)
    const { decision, reason, error } = await authorizer.authorize(attributes)
    if (decision === 'Allow') return next()
    if (error === undefined) return sendError(ctx, forbiddenError(attributes, reason))
    log.error('authorization failed', { path: ctx.path }, error)
    sendText(ctx, 500, `Internal Server Error: ${JSON.stringify(ctx.path)}\n`)
  }

  async function userOf({ req }: CallerContext): Promise<UserInfo | undefined> {
    const { method = '', url = '', headers, rawHeaders, socket } = req
    try {
      const result = await authenticator.authenticate({
        ...{ method, url, headers, rawHeaders },
        peer: peerOf(socket),
      })
      if (result === undefined) return undefined
      if ('user' in result) return result.user
      log.info('credentials refused', { reason: result.refused })
    } catch (error) {
      log.error('authentication failed', {}, error)
    }
    return undefined
  }
}

function attributesOf({ method, path }: EndpointContext, user: UserInfo): AuthorizationAttributes {
  return { user, verb: method.toLowerCase(), group: '', resource: '', name: '', path }
}

/** A refusal as servers of the platform say it. */
function sendError(ctx: EndpointContext, { code, reason, message, details }: StatusError): void {
  const status = {
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason },
    ...(details && { details }),
    code,
  }
  ctx.set('Content-Type', 'application/json')
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.status = code
  ctx.body = Buffer.from(`${JSON.stringify(status)}\n`)
}
