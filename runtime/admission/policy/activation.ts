/** A request as expressions see it (supplement Y-09). */
import type { AsyncCelAuthorizer, ResourceAttributes } from '../../cel/cel.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Activation } from '../../policy/policy.ts'
import type { Attributes, UserInfo } from '../chain/attributes.ts'
import type { PluginContext } from '../chain/plugin-context.ts'
import { groupVersionKind, groupVersionResource } from '../webhook/admission-review.ts'
import type { VersionedAttributes } from '../webhook/review-client.ts'

/** What expressions are evaluated over, with the objects in the version that was matched. */
export function activationFor(
  subject: Attributes,
  { resource: asked, kind, object, old }: VersionedAttributes,
  { params, namespace }: { readonly params?: ApiObject; readonly namespace?: ApiObject } = {},
): Activation {
  return {
    object: object ?? null,
    oldObject: old ?? null,
    request: admissionRequestOf(subject, asked, kind),
    params: params ?? null,
    namespaceObject: namespace ?? null,
    resource: resourceOfRequest(subject),
  }
}

function admissionRequestOf(subject: Attributes, asked: AnyKind, kind: AnyKind) {
  const { subresource, name, namespace, operation, caller, dryRun, options } = subject
  return {
    kind: groupVersionKind(kind),
    resource: groupVersionResource(asked),
    ...(subresource && { subResource: subresource, requestSubResource: subresource }),
    requestKind: groupVersionKind(subject.kind),
    requestResource: groupVersionResource(subject.resource),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: caller,
    dryRun,
    options,
  }
}

/** The place of a request as checks of rights name it. */
function resourceOfRequest({
  resource,
  subresource,
  namespace,
  name,
}: Attributes): ResourceAttributes {
  return {
    group: resource.group,
    resource: resource.plural,
    subresource: subresource ?? '',
    namespace: namespace ?? '',
    name: name ?? '',
  }
}

/** Who decides about checks of rights, for a caller. */
export function celAuthorizerFor(world: PluginContext, caller: UserInfo): AsyncCelAuthorizer {
  return {
    async authorize(question) {
      const right =
        question.is === 'path'
          ? { verb: question.verb, group: '', resource: '', name: '', path: question.path }
          : resourceAccess(question, question.verb)
      const { decision, reason = '' } = await world.authorizer.authorize({ user: caller, ...right })
      return { allowed: decision === 'Allow', reason }
    },
    serviceAccount: (namespace, name) => celAuthorizerFor(world, serviceAccount(namespace, name)),
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

function serviceAccount(namespace: string, name: string): UserInfo {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    groups: [
      'system:serviceaccounts',
      `system:serviceaccounts:${namespace}`,
      'system:authenticated',
    ],
  }
}
