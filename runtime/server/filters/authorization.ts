import {
  type AuthorizationAttributes,
  type AuthorizationResult,
  alwaysAllow,
  forbiddenError,
} from '../../auth/auth.ts'
import { requestNamespace } from '../../registry/registry.ts'
import type { Filter, RequestState } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { requestedName } from '../request/requested-name.ts'

/**
 * Refuses requests whose credentials did not hold (401) and those that their user may not make (403). The verdict is annotated
 * in the audit event, unless everything is allowed anyway.
 */
export function authorization({ authorizer, view }: ServerContext): Filter {
  const { domain } = view.scheme.platform
  return function authorization({ state }, next) {
    if (state.authenticationError !== undefined) throw state.authenticationError
    if (authorizer === alwaysAllow) return next()
    const attributes = attributesOf(state)
    const result = authorizer.authorize(attributes)
    if (result instanceof Promise) {
      return result.then((one) => settle(state, attributes, one, domain)).then(next)
    }
    settle(state, attributes, result, domain)
    return next()
  }
}

/** The request as an authorizer judges it. A method that is no verb of the resource is judged by its name. */
function attributesOf({ info, user, request }: RequestState): AuthorizationAttributes {
  const { target, verb = request.method.toLowerCase(), path } = info
  if (target === undefined) return { user, verb, group: '', resource: '', name: '', path }
  const { kind, subresource } = target
  const name = requestedName(info)
  const namespace = requestNamespace(target)
  return {
    user,
    verb,
    group: kind.group,
    version: kind.version,
    resource: kind.plural,
    name,
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
  }
}

/** No opinion is no permission. */
function settle(
  state: RequestState,
  attributes: AuthorizationAttributes,
  { decision, reason = '' }: AuthorizationResult,
  domain: string,
): void {
  const verdict = decision === 'Allow' ? 'allow' : 'forbid'
  state.annotations = {
    ...state.annotations,
    [`authorization.${domain}/decision`]: verdict,
    [`authorization.${domain}/reason`]: reason,
  }
  if (decision !== 'Allow') throw forbiddenError(attributes, reason)
}
