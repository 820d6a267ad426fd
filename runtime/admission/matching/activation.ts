/** The variables that CEL expressions of policies and match conditions are evaluated with (supplement Y-09). */
import type { AsyncCelAuthorizer, ResourceAttributes } from '../../cel/cel.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Activation } from '../../policy/policy.ts'
import type { Attributes, UserInfo } from '../chain/attributes.ts'
import type { PluginContext } from '../chain/plugin-context.ts'
import { admissionRequestOf } from './admission-request.ts'
import type { VersionedAttributes } from './versioned-attributes.ts'

/** The objects beside those of the request that a policy is evaluated with. */
export interface PolicyObjects {
  readonly params?: ApiObject
  /** The namespace of the object; absent for cluster-scoped resources. */
  readonly namespace?: ApiObject
}

/**
 * The activation for a request, with its objects in the matched version. What the request lacks is
 * null and not absent, so that an expression may compare it with null: `oldObject` of a creation,
 * `object` of a deletion.
 */
export function activationFor(
  attributes: Attributes,
  versioned: VersionedAttributes,
  { params, namespace }: PolicyObjects = {},
): Activation {
  return {
    object: versioned.object ?? null,
    oldObject: versioned.oldObject ?? null,
    request: admissionRequestOf(attributes, versioned),
    params: params ?? null,
    namespaceObject: namespace ?? null,
    resource: resourceOfRequest(attributes),
  }
}

/**
 * The resource that `authorizer.requestResource` checks. In the version-free form of the
 * authorizer; empty strings stand for what the request does not have.
 */
function resourceOfRequest({
  resource,
  subresource = '',
  namespace = '',
  name = '',
}: Attributes): ResourceAttributes {
  return { group: resource.group, resource: resource.plural, subresource, namespace, name }
}

/**
 * The server's authorizer as the CEL authorizer library asks it, for one user. No opinion counts as
 * not allowed. A service account is asked for with the groups that its token would give it, whether
 * the account exists or not.
 */
export function celAuthorizerFor(context: PluginContext, user: UserInfo): AsyncCelAuthorizer {
  return {
    async authorize(check) {
      const request =
        check.is === 'path'
          ? { verb: check.verb, group: '', resource: '', name: '', path: check.path }
          : resourceAccess(check, check.verb)
      const { decision, reason = '' } = await context.authorizer.authorize({ user, ...request })
      return { allowed: decision === 'Allow', reason }
    },
    serviceAccount: (namespace, name) =>
      celAuthorizerFor(context, serviceAccountUser(namespace, name)),
  }
}

function resourceAccess(
  { group, resource, subresource, namespace, name }: ResourceAttributes,
  verb: string,
) {
  return {
    verb,
    group,
    resource,
    name,
    ...(subresource && { subresource }),
    ...(namespace && { namespace }),
  }
}

function serviceAccountUser(namespace: string, name: string): UserInfo {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    groups: [
      'system:serviceaccounts',
      `system:serviceaccounts:${namespace}`,
      'system:authenticated',
    ],
  }
}
