/** Conditions of authorization webhooks, loaded where a file has some. */
export const loadAuthorizationConditions = () => import('./authorization-conditions.ts')
