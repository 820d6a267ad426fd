import type { PolicyRule } from '../../../../generated/apis/rbac/v1.ts'
import type { AuthorizationAttributes } from '../authorizer.ts'

/** The rule that allows a request and nothing else. */
export function smallestRule(attributes: AuthorizationAttributes): PolicyRule {
  const { verb, group, resource, subresource, name, path } = attributes
  if (path !== undefined) return { verbs: [verb], nonResourceURLs: [path] }
  const named = name !== '' && verb !== 'create'
  return {
    verbs: [verb],
    apiGroups: [group],
    resources: [subresource ? `${resource}/${subresource}` : resource],
    ...(named && { resourceNames: [name] }),
  }
}
