import { setImmediate } from 'node:timers/promises'

/** Work that stops here and there, so that whoever does it can do something else first. */
export type Steps<T> = Generator<void, T>

/** Does work to its end, with what else waits in between. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await setImmediate()
  }
}
