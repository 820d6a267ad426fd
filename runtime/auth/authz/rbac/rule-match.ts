import type { PolicyRule } from '../../../../generated/apis/rbac/v1.ts'
import type { AuthorizationAttributes } from '../authorizer.ts'

const none: readonly string[] = []

/**
 * True if a rule allows a request (supplement Z-03). A rule with names allows none of the requests that name no object: no
 * creation, and no list of everything.
 */
export function ruleAllows(rule: PolicyRule, attributes: AuthorizationAttributes): boolean {
  const { verbs = none } = rule
  if (!verbs.includes(attributes.verb) && !verbs.includes('*')) return false
  if (attributes.path !== undefined) return pathMatches(rule.nonResourceURLs, attributes.path)
  const { apiGroups = none, resourceNames = none } = rule
  if (!apiGroups.includes(attributes.group) && !apiGroups.includes('*')) return false
  if (resourceNames.length > 0 && !resourceNames.includes(attributes.name)) return false
  return resourceMatches(rule.resources, attributes)
}

function resourceMatches(
  resources: readonly string[] = none,
  { resource, subresource = '' }: AuthorizationAttributes,
): boolean {
  if (subresource === '') return resources.includes(resource) || resources.includes('*')
  for (const one of resources) {
    if (one === '*' || one === `${resource}/${subresource}` || one === `*/${subresource}`) {
      return true
    }
  }
  return false
}

function pathMatches(paths: readonly string[] = none, path: string): boolean {
  return paths.some((one) => pathCovers(one, path))
}

/** True if the path of a rule stands for another one: it is the same, or all that begin with what stands before its stars. */
export function pathCovers(granted: string, path: string): boolean {
  if (granted === path || granted === '*') return true
  return granted.endsWith('*') && path.startsWith(withoutStars(granted))
}

function withoutStars(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === '*') end--
  return text.slice(0, end)
}
