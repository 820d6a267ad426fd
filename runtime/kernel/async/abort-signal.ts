import { setMaxListeners } from 'node:events'

/**
 * Calls `run` once when the signal aborts, in a microtask if it has already; never before returning. The returned
 * function takes that back. One signal may end any number of things: Node's warning about many listeners is for leaks,
 * and these listeners are taken back.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  if (signal.aborted) {
    queueMicrotask(run)
    return () => {}
  }
  allowListeners(signal)
  signal.addEventListener('abort', run, { once: true })
  return () => signal.removeEventListener('abort', run)
}

/**
 * Lets any number of listeners wait for a signal: Node's warning about many of them is for leaks, and those who wait for
 * the end of a program are many.
 */
export function allowListeners(signal: AbortSignal): void {
  setMaxListeners(0, signal)
}

/** Waits for the promise, or until the signal aborts; leaves no listener at the signal, so that it may be called again and again. */
export async function orAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  let takeBack = (): void => {}
  const ended = new Promise<void>((resolve) => {
    takeBack = onAbort(signal, resolve)
  })
  try {
    await Promise.race([promise, ended])
  } finally {
    takeBack()
  }
}

/** Resolves once the signal has aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
