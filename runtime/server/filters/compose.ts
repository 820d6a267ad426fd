import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { Filter, RequestContext } from '../context/filter.ts'

/** The filters as one, the first outermost. Nothing is allocated ahead of a request, and no promise where no filter waits. */
export function composeFilters(
  filters: readonly Filter[],
): (ctx: RequestContext) => Awaitable<void> {
  return (ctx) => {
    const run = (at: number): Awaitable<void> => filters[at]?.(ctx, () => run(at + 1))
    return run(0)
  }
}

/** Runs `work`, then `then` once it succeeded: at once where there is nothing to wait for. */
export function afterwards(work: Awaitable<void>, then: () => Awaitable<void>): Awaitable<void> {
  return work instanceof Promise ? work.then(then) : then()
}

/** Runs `work`, then `cleanUp` whatever became of it. */
export function withCleanup(work: () => Awaitable<void>, cleanUp: () => void): Awaitable<void> {
  let result: Awaitable<void>
  try {
    result = work()
  } catch (error) {
    cleanUp()
    throw error
  }
  if (result instanceof Promise) return result.finally(cleanUp)
  cleanUp()
}
