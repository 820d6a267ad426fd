/**
 * Authorization checks that are answered asynchronously (by a webhook, say), for expressions, which evaluate
 * synchronously.
 */
import type { AuthorizationCheck, CelAuthorizer, Decision } from './authorizer.ts'

/** An authorizer bound to one user, whose decisions take time. */
export interface AsyncCelAuthorizer {
  /** Decides one check. A rejected promise is a decision with an error: not allowed. */
  authorize(check: AuthorizationCheck): Promise<Decision>
  /** The same authorizer for a service account. */
  serviceAccount(namespace: string, name: string): AsyncCelAuthorizer
}

/** The decision that an expression sees while the real one is outstanding. The result of that run is dropped. */
const undecided: Decision = { allowed: false, reason: '', error: 'not decided yet' }

/**
 * Calls `run` again until every authorization check that it makes has its decision, and returns the last result. Checks
 * seen for the first time are decided between two calls, in parallel, each once. `run` must not keep anything of an
 * earlier call, spent cost included.
 */
export async function withAuthorizationChecks<T>(
  authorizer: AsyncCelAuthorizer,
  run: (authorizer: CelAuthorizer) => T | Promise<T>,
): Promise<T> {
  const decisions = new Map<string, Decision>()
  for (;;) {
    const pending = new Map<string, () => Promise<Decision>>()
    const result = await run(remembering(authorizer, '', decisions, pending))
    if (pending.size === 0) return result
    await Promise.all(
      [...pending].map(async ([key, decide]) => decisions.set(key, await settle(decide))),
    )
  }
}

/** The decision of a check; a failure is a decision with an error. */
async function settle(decide: () => Promise<Decision>): Promise<Decision> {
  try {
    return await decide()
  } catch (error) {
    return { allowed: false, reason: '', error: String(error) }
  }
}

/**
 * A synchronous authorizer that answers from `decisions` and collects what is missing in `pending`. `serviceAccount` names the service
 * account that is checked, empty for the user.
 */
function remembering(
  authorizer: AsyncCelAuthorizer,
  serviceAccount: string,
  decisions: ReadonlyMap<string, Decision>,
  pending: Map<string, () => Promise<Decision>>,
): CelAuthorizer {
  return {
    authorize(check) {
      const key = JSON.stringify([serviceAccount, check])
      const known = decisions.get(key)
      if (known === undefined) pending.set(key, () => authorizer.authorize(check))
      return known ?? undecided
    },
    serviceAccount(namespace, name) {
      const other = authorizer.serviceAccount(namespace, name)
      return remembering(other, `${namespace}/${name}`, decisions, pending)
    },
  }
}
