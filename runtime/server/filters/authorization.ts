import {
  type AuthorizationAttributes,
  type AuthorizationResult,
  alwaysAllow,
  forbiddenError,
  ruleText,
  smallestRule,
} from '../../auth/auth.ts'
import { requestNamespace } from '../../registry/registry.ts'
import type { Filter, RequestState } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { quotingRequest } from '../negotiation/status-body.ts'
import { requestedName } from '../request/requested-name.ts'
import { unservedResource, verbOfMethod } from '../request/unserved-resource.ts'

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

/** The request as an authorizer judges it. */
function attributesOf({ info, user, request }: RequestState): AuthorizationAttributes {
  const { target, segments, path } = info
  if (target === undefined) {
    const unserved = segments && unservedResource(segments)
    if (unserved !== undefined) {
      return { user, verb: verbOfMethod(request.method, unserved.name), ...unserved }
    }
    const verb = request.method.toLowerCase()
    return { user, verb, group: '', resource: '', name: '', path: decoded(path) }
  }
  const { kind, subresource } = target
  const name = requestedName(info)
  const verb = info.verb ?? verbOfMethod(request.method, name)
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

/** The path without percent signs, where it can be decoded: so do the rules name it. */
function decoded(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** No opinion is no permission. */
function settle(
  state: RequestState,
  attributes: AuthorizationAttributes,
  { decision, reason = '', error }: AuthorizationResult,
  domain: string,
): void {
  const verdict = decision === 'Allow' ? 'allow' : 'forbid'
  state.annotations = {
    ...state.annotations,
    [`authorization.${domain}/decision`]: verdict,
    [`authorization.${domain}/reason`]: reason,
    ...(verdict === 'forbid' && {
      [`authorization.${domain}/missing-rule`]: ruleText(smallestRule(attributes)),
    }),
  }
  if (decision === 'Allow') return
  throw error ?? quotingRequest(forbiddenError(attributes, reason))
}
