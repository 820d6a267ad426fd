import type { Random } from '../kernel/async/clock.ts'
import { isStatus } from '../kernel/errors/status-error.ts'

/**
 * Where an informer stands. `failures` counts what went wrong since the stream last brought something; it sets the wait
 * before the next attempt.
 */
export type InformerState =
  | { readonly at: 'empty'; readonly failures: number }
  | { readonly at: 'listing'; readonly failures: number }
  | { readonly at: 'watching'; readonly failures: number; readonly revision: string }

/** What happened to an informer. */
export type InformerStep =
  | { readonly is: 'began' }
  | { readonly is: 'listed'; readonly revision: string }
  | { readonly is: 'saw'; readonly revision: string }
  | { readonly is: 'ended' }
  | { readonly is: 'failed'; readonly error: unknown }

/**
 * The state after a step. A list that failed is begun anew. A stream that ended or broke goes on from its revision,
 * unless the server does not know it (any more): then the collection is listed again.
 */
export function nextState(state: InformerState, step: InformerStep): InformerState {
  switch (step.is) {
    case 'began':
      return { at: 'listing', failures: state.failures }
    case 'listed':
      return { at: 'watching', failures: state.failures, revision: step.revision }
    case 'saw':
      return { at: 'watching', failures: 0, revision: step.revision }
    case 'ended':
      return state.at === 'watching' ? afterFailure(state) : relist(state)
    case 'failed':
      return state.at === 'watching' && !isRevisionGone(step.error)
        ? afterFailure(state)
        : relist(state)
    default:
      return step satisfies never
  }
}

/** Milliseconds to wait before a state is acted on: doubling from 0.2 s to 30 s, the upper half of it by chance. */
export function retryDelayMs({ failures }: InformerState, random: Random): number {
  if (failures === 0) return 0
  const most = Math.min(30_000, 200 * 2 ** (failures - 1))
  return Math.round((most / 2) * (1 + random()))
}

function afterFailure(state: Extract<InformerState, { at: 'watching' }>): InformerState {
  return { ...state, failures: state.failures + 1 }
}

function relist({ failures }: InformerState): InformerState {
  return { at: 'empty', failures: failures + 1 }
}

/** The server has compacted the revision, or never had it: it may have been restored from an older state. */
function isRevisionGone(error: unknown): boolean {
  if (!isStatus(error)) return false
  const unknown = error.details?.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge')
  return error.reason === 'Expired' || error.reason === 'Gone' || unknown === true
}
