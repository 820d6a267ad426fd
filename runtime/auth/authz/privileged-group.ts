import type { AuthorizationResult, Authorizer } from './authorizer.ts'

/** The group whose members may do everything, whatever the other authorizers say (supplement Z-01). */
export const privilegedGroup = 'system:masters'

const allowed: AuthorizationResult = { decision: 'Allow' }
const noOpinion: AuthorizationResult = { decision: 'NoOpinion' }

/** Allows everything to the privileged group. It lists no rules, as it is not one of those that were asked for. */
export const privilegedGroupAuthorizer: Authorizer = {
  authorize: ({ user }) => (user.groups.includes(privilegedGroup) ? allowed : noOpinion),
  rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
}
