import { failSpan, inSpan, type Span, type Tracer } from '../../observe/observe.ts'
import { type Change, causeOf, printCause } from '../changes/cause.ts'
import type { Outcome } from '../controller/outcome.ts'

/** What a run is traced as. */
export interface TracedRun {
  readonly controller: string
  readonly key: string
  readonly run: string
  readonly changes: readonly Change[]
}

/** What a run gave. */
interface Ended {
  readonly outcome: Outcome
  readonly written: readonly unknown[]
}

/** Does a run in a span of its own, which says what woke it and what it came to. */
export function traced<R extends Ended>(
  tracer: Tracer | undefined,
  { controller, key, run, changes }: TracedRun,
  work: () => Promise<R>,
): Promise<R> {
  if (tracer === undefined) return work()
  const last = changes.at(-1)
  const cause = last && { 'orch.cause': printCause(causeOf(last)) }
  const attributes = {
    ...{ 'orch.controller': controller, 'orch.key': key, 'orch.run': run },
    ...cause,
  }
  return inSpan(tracer, `reconcile ${controller}`, attributes, async (span) => {
    const ended = await work()
    if (span !== undefined) say(span, ended)
    return ended
  })
}

function say(span: Span, { outcome, written }: Ended): void {
  span.setAttributes({ 'orch.outcome': outcome.is, 'orch.writes': written.length })
  if (outcome.is === 'terminal') span.setStatus({ code: 2, message: outcome.why })
  if (outcome.is === 'failed') failSpan(span, outcome.error)
}
