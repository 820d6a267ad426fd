import type { AuthorizationResult, Authorizer } from './authorizer.ts'

const allowed: AuthorizationResult = { decision: 'Allow' }
const all = ['*']

/** Allows everything to every user. */
export const alwaysAllow: Authorizer = {
  authorize: () => allowed,
  rulesFor: () => ({
    resourceRules: [{ verbs: all, apiGroups: all, resources: all }],
    nonResourceRules: [{ verbs: all, nonResourceURLs: all }],
    incomplete: false,
  }),
}
