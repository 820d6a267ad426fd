import type { Awaitable } from './awaitable.ts'

/** Resolves after all other work that is ready has run. Long work awaits this between its parts. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A turn of the event loop for other work where what goes on takes long; nothing to wait for elsewhere. */
export function pauseIf(large: boolean): Awaitable<void> {
  return large ? yieldToEventLoop() : undefined
}

/** Bytes. The work on a longer text is cut into slices. */
const largeBytes = 32 * 1024

/** True if the work on a text of that many bytes is to be cut into slices. */
export function needsSlices(bytes: number): boolean {
  return bytes > largeBytes
}

/**
 * Work that can be suspended between its steps. Each step yields an estimate of the work since the last one, in units of
 * about a microsecond. Slices are cut by estimates, not by a clock, so that every run cuts them alike.
 */
export type Steps<T> = Generator<number, T>

/** Work since the last step that was yielded, of parts that are too small for a step of their own. */
let pending = 0

/** Adds work; true once it is enough for a step, which is then to be yielded: `if (addWork(n)) yield takeWork()`. */
export function addWork(units: number): boolean {
  pending += units
  return pending >= leastStep
}

/** The work that was added since this was called last. */
export function takeWork(): number {
  const work = pending
  pending = 0
  return work
}

/** A suspended generator resumes through each one that called it, so that a step costs a small object more than its work. */
const leastStep = 250

/** How much work one slice is: work that yields it lets other work run. */
export const wholeSlice = 8_000

/** Runs work to its end, other work in between. Work of a single slice is done when this returns. */
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

/** Runs work to its end without a pause, for callers that no other work waits for. */
export function runToCompletion<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

function runSlice<T>(steps: Steps<T>): IteratorResult<number, T> {
  let left = wholeSlice
  pending = 0
  for (;;) {
    const step = steps.next()
    if (step.done) return step
    left -= step.value
    if (left <= 0) return step
  }
}

const waiting: (() => void)[] = []

/** Resolves when it is the caller's turn. Only one slice runs in each round of the event loop, however many wait. */
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
