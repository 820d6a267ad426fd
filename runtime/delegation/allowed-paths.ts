import type { AuthorizationResult, Authorizer } from '../auth/auth.ts'

const allowed: AuthorizationResult = { decision: 'Allow' }
const noOpinion: AuthorizationResult = { decision: 'NoOpinion' }

/** Allows everyone paths that are named, and those that begin like a name which ends with a star. */
export function allowedPathsAuthorizer(paths: readonly string[]): Authorizer {
  const bare = paths.map((path) => path.replace(/^\//, ''))
  const whole = new Set(bare.filter((path) => !path.endsWith('*')))
  const prefixes = bare.filter((path) => path.endsWith('*')).map((path) => path.slice(0, -1))
  return {
    authorize({ path }) {
      const asked = path?.replace(/^\//, '')
      if (asked === undefined) return noOpinion
      const isAllowed = whole.has(asked) || prefixes.some((prefix) => asked.startsWith(prefix))
      return isAllowed ? allowed : noOpinion
    },
  }
}
