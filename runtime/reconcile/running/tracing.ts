import { type Change, causeOf, printCause } from '../changes/cause.ts'
import type { Outcome } from '../controller/outcome.ts'

/** What is said of a span: numbers, texts and truths by name. */
export type SpanAttributes = Record<string, string | number | boolean>

/** One run, as traces show it. A span of `@opentelemetry/api` is one. */
export interface Span {
  setAttributes(attributes: SpanAttributes): unknown
  recordException(error: Error | string): void
  /** 1 is well, 2 is not. */
  setStatus(status: { code: number; message?: string }): unknown
  end(): void
}

/**
 * Where runs are traced. A tracer of `@opentelemetry/api` is one: `trace.getTracer('my-operator')`. This package does not import it, so
 * nothing is loaded where none is given.
 */
export interface Tracer {
  /** Calls `run` with a new span, which is the parent of those that are begun meanwhile. */
  startActiveSpan<F extends (span: Span) => unknown>(
    name: string,
    options: { attributes?: SpanAttributes },
    run: F,
  ): ReturnType<F>
}

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
  return tracer.startActiveSpan(`reconcile ${controller}`, { attributes }, async (span) => {
    const ended = await work()
    say(span, ended)
    span.end()
    return ended
  })
}

function say(span: Span, { outcome, written }: Ended): void {
  span.setAttributes({ 'orch.outcome': outcome.is, 'orch.writes': written.length })
  if (outcome.is === 'terminal') span.setStatus({ code: 2, message: outcome.why })
  if (outcome.is !== 'failed') return
  const { error } = outcome
  const known = error instanceof Error ? error : String(error)
  span.recordException(known)
  span.setStatus({ code: 2, message: error instanceof Error ? error.message : String(error) })
}
