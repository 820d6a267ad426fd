import type { Awaitable } from './awaitable.ts'

/** Lets everything else that waits have its turn: long work is done in parts with this between them. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Text beyond this makes steps that others should not have to wait for all together. */
const largeBytes = 128 * 1024

/** True if work on so much text is done in turns. */
export function needsSlices(bytes: number): boolean {
  return bytes > largeBytes
}

/**
 * Work that can be left for a while here and there. Each step says how much was done since the last one, in units of
 * about a microsecond: estimates, so that where work stops never depends on a clock.
 */
export type Steps<T> = Generator<number, T>

/** What is done without a pause. */
const slice = 8_000

/** Does work to its end, with what else waits in between: at once if it is little. */
export function runInSlices<T>(steps: Steps<T>): Awaitable<T> {
  const step = runSlice(steps)
  return step.done ? step.value : resume(steps)
}

async function resume<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    await nextLongTaskTurn()
    const step = runSlice(steps)
    if (step.done) return step.value
  }
}

/** Does work to its end without a pause: for whoever has nobody waiting. */
export function runToCompletion<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

function runSlice<T>(steps: Steps<T>): IteratorResult<number, T> {
  let left = slice
  for (;;) {
    const step = steps.next()
    if (step.done) return step
    left -= step.value
    if (left <= 0) return step
  }
}

const waiting: (() => void)[] = []

/** Of all long work that waits one goes on in a turn: many of them together hold nobody up longer than one alone. */
function nextLongTaskTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(goOn)
  })
}

function goOn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(goOn)
}
