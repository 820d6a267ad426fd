import type { Awaitable } from '../kernel/async/awaitable.ts'
import { errorText } from '../kernel/errors/error-text.ts'

/** What members of a union said that decided nothing. */
export interface Undecided<R> {
  readonly results: readonly R[]
  readonly errors: readonly unknown[]
}

/**
 * Asks the members of a union in order and gives the first result that `decides`; if there is none, what `otherwise` makes
 * of all of them. A member that throws does not end the walk. Synchronous as long as the members are.
 */
export function firstDecision<M, R>(
  members: readonly M[],
  ask: (member: M) => Awaitable<R>,
  decides: (result: R) => boolean,
  otherwise: (undecided: Undecided<R>) => R,
): Awaitable<R> {
  const results: R[] = []
  const errors: unknown[] = []
  const next = (index: number): Awaitable<R> => {
    for (let at = index; at < members.length; at++) {
      let result: Awaitable<R>
      try {
        result = ask(members[at] as M)
      } catch (error) {
        errors.push(error)
        continue
      }
      if (result instanceof Promise) return later(result, at)
      if (decides(result)) return result
      results.push(result)
    }
    return otherwise({ results, errors })
  }
  const later = async (pending: Promise<R>, at: number): Promise<R> => {
    try {
      const result = await pending
      if (decides(result)) return result
      results.push(result)
    } catch (error) {
      errors.push(error)
    }
    return next(at + 1)
  }
  return next(0)
}

/** One error for what the members of a union threw. @throws always; a single error is thrown as it is. */
export function throwTogether(errors: readonly unknown[], what: string): never {
  if (errors.length === 1) throw errors[0]
  const texts = errors.map(errorText)
  throw new AggregateError(errors, `${what}: ${texts.join('; ')}`)
}
