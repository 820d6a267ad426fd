import { errorText } from '../../kernel/errors/error-text.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Log } from '../../observe/observe.ts'
import type { Outcome } from '../controller/outcome.ts'

/** Logs a run that did not end well. A lost race is the way of things: the next run sees what changed. */
export function logOutcome(log: Log, outcome: Outcome): void {
  if (outcome.is === 'terminal') log.error('reconcile gave up', { why: outcome.why })
  if (outcome.is !== 'failed') return
  if (isStatus(outcome.error, 'Conflict')) log.debug('reconcile lost a race')
  else log.error('reconcile failed', {}, outcome.error)
}

/** An outcome in words that are kept after its objects. */
export function wordsOf(outcome: Outcome): {
  readonly outcome: Outcome['is']
  readonly why?: string
} {
  if (outcome.is === 'done') return { outcome: 'done' }
  const { error, why } = outcome as { readonly error?: unknown; readonly why?: string }
  const words = outcome.is === 'failed' ? messageOf(error) : why
  return words === undefined ? { outcome: outcome.is } : { outcome: outcome.is, why: words }
}

/** Longest text of an error that is kept. */
const longestWhy = 500

function messageOf(error: unknown): string {
  return errorText(error).slice(0, longestWhy)
}
