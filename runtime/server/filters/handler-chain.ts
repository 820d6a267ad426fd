import type { Filter, Middleware } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { audit } from './audit.ts'
import { authentication } from './authentication.ts'
import { authorization } from './authorization.ts'
import { completion } from './completion.ts'
import { compression } from './compression.ts'
import { cors } from './cors.ts'
import { deprecation } from './deprecation.ts'
import { extensions } from './extensions.ts'
import { flowControl } from './flow-control.ts'
import { handler } from './handler.ts'
import { impersonation } from './impersonation.ts'
import { limits } from './limits.ts'
import { operations } from './operations.ts'
import { origin } from './origin.ts'
import { panics } from './panics.ts'
import { receiveBody } from './receive-body.ts'
import { requestInfo } from './request-info.ts'
import { requestMetrics } from './request-metrics.ts'

/**
 * What every request passes, the outermost first.
 *
 * Filters before `panics` never fail for what a client sent, and take what it makes of an error for a response like any other:
 * refusals are audited and counted, too. Filters behind it throw. `authentication` comes before `audit` and `flow-control`,
 * which go by the user; `authorization` comes behind them, so that guessing is recorded and limited.
 */
export function handlerChain(
  context: ServerContext,
  use: readonly Middleware[],
): readonly Filter[] {
  return [
    requestInfo(context),
    completion(context),
    compression(context),
    cors(context),
    authentication(context),
    requestMetrics(context),
    audit(context),
    impersonation(context),
    receiveBody(context),
    flowControl(context),
    deprecation(context),
    panics(context),
    origin(context),
    limits(context),
    authorization(context),
    operations(context),
    ...extensions(use),
    handler(context),
  ]
}
