import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { Filter, RequestContext } from '../context/filter.ts'

/**
 * The filters as one, the first outermost. No promise is made where no filter waits, unlike with `koa-compose`: a filter
 * therefore goes on with `afterwards` instead of awaiting `next()`.
 */
export function composeFilters(
  filters: readonly Filter[],
): (ctx: RequestContext) => Awaitable<void> {
  return (ctx) => {
    const run = (at: number): Awaitable<void> => filters[at]?.(ctx, () => run(at + 1))
    return run(0)
  }
}

/** Runs `then` once the work succeeded: at once where there is nothing to wait for. */
export function afterwards(work: Awaitable<void>, then: () => Awaitable<void>): Awaitable<void> {
  return work instanceof Promise ? work.then(then) : then()
}

/** Runs `work`, then `cleanUp` whatever became of it. What the work throws goes on. */
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
