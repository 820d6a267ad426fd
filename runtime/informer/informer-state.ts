import type { Random } from '../kernel/async/clock.ts'
import { isStatus } from '../kernel/errors/status-error.ts'

/** What every state counts. */
interface Attempts {
  /** What went wrong since the server last answered as it should; it sets the wait before the next attempt. */
  readonly failures: number
  /** Lists in a row whose revision the server had forgotten before the stream brought something. */
  readonly forgotten: number
}

/** Where an informer stands. */
export type InformerState =
  | (Attempts & { readonly at: 'empty' })
  | (Attempts & { readonly at: 'listing' })
  | (Attempts & { readonly at: 'watching'; readonly revision: string })

/** What happened to an informer. */
export type InformerStep =
  | { readonly is: 'began' }
  | { readonly is: 'listed'; readonly revision: string }
  | { readonly is: 'saw'; readonly revision: string }
  | { readonly is: 'ended' }
  | { readonly is: 'failed'; readonly error: unknown }

/**
 * The state after a step. A list that failed is begun anew. A stream that ended or broke goes on from its revision,
 * unless the server does not know it (any more): then the collection is listed again, at once for the first time, since a server
 * that says so is there.
 */
export function nextState(state: InformerState, step: InformerStep): InformerState {
  const { failures, forgotten } = state
  switch (step.is) {
    case 'began':
      return { at: 'listing', failures, forgotten }
    case 'listed':
      return { at: 'watching', failures: 0, forgotten, revision: step.revision }
    case 'saw':
      return { at: 'watching', failures: 0, forgotten: 0, revision: step.revision }
    case 'ended':
      return afterFailure(state)
    case 'failed':
      return state.at === 'watching' && isRevisionGone(step.error)
        ? { at: 'empty', failures: forgotten, forgotten: forgotten + 1 }
        : afterFailure(state)
    default:
      return step satisfies never
  }
}

/** Milliseconds to wait before a state is acted on: doubling from 0.2 s to 30 s, the upper half of it by chance. */
export function retryDelayMs(
  { failures }: Pick<InformerState, 'failures'>,
  random: Random,
): number {
  if (failures === 0) return 0
  const most = Math.min(30_000, 200 * 2 ** (failures - 1))
  return Math.round((most / 2) * (1 + random()))
}

function afterFailure(state: InformerState): InformerState {
  const failures = state.failures + 1
  return state.at === 'watching'
    ? { ...state, failures }
    : { at: 'empty', failures, forgotten: state.forgotten }
}

/** The server has compacted the revision, or never had it: it may have been restored from an older state. */
function isRevisionGone(error: unknown): boolean {
  if (!isStatus(error)) return false
  const unknown = error.details?.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge')
  return error.reason === 'Expired' || error.reason === 'Gone' || unknown === true
}
