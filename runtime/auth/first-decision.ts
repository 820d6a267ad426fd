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
  let results: R[] | undefined
  let errors: unknown[] | undefined
  for (let at = 0; at < members.length; at++) {
    try {
      const result = ask(members[at] as M)
      if (result instanceof Promise) {
        return firstOfRest({ members, ask, decides, otherwise }, at, result, {
          results: results ?? [],
          errors: errors ?? [],
        })
      }
      if (decides(result)) return result
      results ??= []
      results.push(result)
    } catch (error) {
      errors ??= []
      errors.push(error)
    }
  }
  return otherwise({ results: results ?? [], errors: errors ?? [] })
}

/** A walk through the members of a union. */
interface Walk<M, R> {
  readonly members: readonly M[]
  readonly ask: (member: M) => Awaitable<R>
  readonly decides: (result: R) => boolean
  readonly otherwise: (undecided: Undecided<R>) => R
}

/** Goes on with the member that is being asked. */
async function firstOfRest<M, R>(
  { members, ask, decides, otherwise }: Walk<M, R>,
  from: number,
  asked: Promise<R>,
  said: { readonly results: R[]; readonly errors: unknown[] },
): Promise<R> {
  for (let at = from; at < members.length; at++) {
    try {
      const result = await (at === from ? asked : ask(members[at] as M))
      if (decides(result)) return result
      said.results.push(result)
    } catch (error) {
      said.errors.push(error)
    }
  }
  return otherwise(said)
}

/** One error for what the members of a union threw. @throws always; a single error is thrown as it is. */
export function throwTogether(errors: readonly unknown[], what: string): never {
  if (errors.length === 1) throw errors[0]
  const texts = errors.map(errorText)
  throw new AggregateError(errors, `${what}: ${texts.join('; ')}`)
}
