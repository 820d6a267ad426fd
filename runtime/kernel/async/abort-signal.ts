import { setMaxListeners } from 'node:events'

/**
 * Calls `run` once the signal aborts, soon if it has; never before returning. The returned function takes that back. One signal may end any
 * number of things: Node's warning about many listeners is for leaks, and these listeners are taken back.
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
