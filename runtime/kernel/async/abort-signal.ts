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
  setMaxListeners(0, signal)
  signal.addEventListener('abort', run, { once: true })
  return () => signal.removeEventListener('abort', run)
}

/** Resolves once the signal has aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
