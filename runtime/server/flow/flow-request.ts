import type { UserInfo } from '../../auth/auth.ts'
import { requestNamespace } from '../../registry/registry.ts'
import type { RequestInfo } from '../request/request-info.ts'
import type { FlowRequest } from './flow-schema.ts'

/** A request as flow control sees it. One that no verb of the target answers is classified by its path. */
export function flowRequestOf(
  { target, verb, path, remote }: RequestInfo,
  user: UserInfo,
  method: string,
): FlowRequest {
  if (remote?.resource !== undefined) {
    const { group, resource, subresource, namespace } = remote.resource
    const name = subresource === undefined ? resource : `${resource}/${subresource}`
    const place = { group, name, ...(namespace !== undefined && { namespace }) }
    return { user, verb: remote.verb, path, resource: place }
  }
  if (target === undefined || verb === undefined) {
    return { user, verb: method.toLowerCase(), path }
  }
  const { kind, subresource } = target
  const namespace = requestNamespace(target)
  const name = subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`
  return {
    user,
    verb,
    path,
    resource: { group: kind.group, name, ...(namespace !== undefined && { namespace }) },
  }
}
