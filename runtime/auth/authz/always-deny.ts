import type { AuthorizationResult, Authorizer } from './authorizer.ts'

const refused: AuthorizationResult = {
  decision: 'NoOpinion',
  reason: 'Everything is forbidden.',
}

/** Allows nothing to any user, and leaves it to the authorizers behind it to do so. */
export const alwaysDeny: Authorizer = {
  authorize: () => refused,
  rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
}
