/** Checks that are answered later (by a webhook, say), for expressions, which cannot wait. */
import type { AuthorizationCheck, CelAuthorizer, Decision } from './authorizer.ts'

/** Who decides, but not at once. */
export interface AsyncCelAuthorizer {
  authorize(question: AuthorizationCheck): Promise<Decision>
  serviceAccount(namespace: string, name: string): AsyncCelAuthorizer
}

const undecided: Decision = { allowed: false, reason: '', error: 'not decided yet' }

/**
 * Runs evaluations until every check they made has its answer: what was asked for the first time is answered, and `run` is
 * called again. So `run` must not keep anything of a former call, what it spent included. Each question is asked once.
 */
export async function withAuthorizationChecks<T>(
  authority: AsyncCelAuthorizer,
  run: (authority: CelAuthorizer) => T | Promise<T>,
): Promise<T> {
  const answers = new Map<string, Decision>()
  for (;;) {
    const asked = new Map<string, () => Promise<Decision>>()
    const result = await run(remembering(authority, '', answers, asked))
    if (asked.size === 0) return result
    await Promise.all([...asked].map(async ([key, ask]) => answers.set(key, await settle(ask))))
  }
}

async function settle(ask: () => Promise<Decision>): Promise<Decision> {
  try {
    return await ask()
  } catch (error) {
    return { allowed: false, reason: '', error: String(error) }
  }
}

function remembering(
  authority: AsyncCelAuthorizer,
  who: string,
  answers: ReadonlyMap<string, Decision>,
  asked: Map<string, () => Promise<Decision>>,
): CelAuthorizer {
  return {
    authorize(question) {
      const key = JSON.stringify([who, question])
      const known = answers.get(key)
      if (known === undefined) asked.set(key, () => authority.authorize(question))
      return known ?? undecided
    },
    serviceAccount(namespace, name) {
      const other = authority.serviceAccount(namespace, name)
      return remembering(other, `${namespace}/${name}`, answers, asked)
    },
  }
}
