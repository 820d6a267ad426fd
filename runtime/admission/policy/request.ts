/** A request as expressions see it (supplement Y-09). */
import type { Resource, SlowAuthority } from '../../cel/cel.ts'
import type { AnyKind } from '../../kernel/kind.ts'
import type { ApiObject } from '../../kernel/object.ts'
import type { Inputs } from '../../policy/policy.ts'
import type { Caller, Subject } from '../attempt.ts'
import type { Shown } from '../webhook/call.ts'
import { kindOf, resourceOf } from '../webhook/review.ts'
import type { World } from '../world.ts'

/** What expressions are evaluated over, with the objects in the version that was matched. */
export function inputsOf(
  subject: Subject,
  { asked, kind, object, old }: Shown,
  { params, namespace }: { readonly params?: ApiObject; readonly namespace?: ApiObject } = {},
): Inputs {
  return {
    object: object ?? null,
    oldObject: old ?? null,
    request: requestOf(subject, asked, kind),
    params: params ?? null,
    namespaceObject: namespace ?? null,
    resource: subjectResource(subject),
  }
}

function requestOf(subject: Subject, asked: AnyKind, kind: AnyKind) {
  const { subresource, name, namespace, operation, caller, dryRun, options } = subject
  return {
    kind: kindOf(kind),
    resource: resourceOf(asked),
    ...(subresource && { subResource: subresource, requestSubResource: subresource }),
    requestKind: kindOf(subject.kind),
    requestResource: resourceOf(subject.resource),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: caller,
    dryRun,
    options,
  }
}

/** The place of a request as checks of rights name it. */
function subjectResource({ resource, subresource, namespace, name }: Subject): Resource {
  return {
    group: resource.group,
    resource: resource.plural,
    subresource: subresource ?? '',
    namespace: namespace ?? '',
    name: name ?? '',
  }
}

/** Who decides about checks of rights, for a caller. */
export function authorityOf(world: World, caller: Caller): SlowAuthority {
  return {
    async decide(question) {
      const right =
        question.is === 'path'
          ? { verb: question.verb, group: '', resource: '', name: '', path: question.path }
          : rightOf(question, question.verb)
      return { allowed: await world.authorize(caller, right), reason: '' }
    },
    serviceAccount: (namespace, name) => authorityOf(world, serviceAccount(namespace, name)),
  }
}

function rightOf({ group, resource, subresource, namespace, name }: Resource, verb: string) {
  return {
    verb,
    group,
    resource,
    name,
    ...(subresource && { subresource }),
    ...(namespace && { namespace }),
  }
}

function serviceAccount(namespace: string, name: string): Caller {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    groups: [
      'system:serviceaccounts',
      `system:serviceaccounts:${namespace}`,
      'system:authenticated',
    ],
  }
}
