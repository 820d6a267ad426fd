/** What traces are made with: the part of `@opentelemetry/api` that is used here: who traces nothing installs nothing. */
import { errorText } from '../../kernel/errors/error-text.ts'

/** What is said of a span: numbers, texts and truths by name. */
export type SpanAttributes = Record<string, string | number | boolean>

/** One piece of work, as traces show it. A span of `@opentelemetry/api` is one. */
export interface Span {
  setAttributes(attributes: SpanAttributes): unknown
  recordException(error: Error | string): void
  /** 1 is well, 2 is not. */
  setStatus(status: { code: number; message?: string }): unknown
  end(): void
}

/**
 * Where work is traced. A tracer of `@opentelemetry/api` is one: `trace.getTracer('my-operator')`. This package does not import it, so
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

/** The headers of a request. */
export type TraceHeaders = Record<string, string | string[] | undefined>

/**
 * Carries traces from process to process in headers such as `traceparent`. What `@opentelemetry/api` exports is one:
 * `{ context, propagation }`.
 */
export interface TracePropagation {
  readonly context: {
    active(): unknown
    with<R>(context: unknown, run: () => R): R
  }
  readonly propagation: {
    inject(context: unknown, headers: Record<string, string>): void
    extract(context: unknown, headers: TraceHeaders): unknown
  }
}

/** The headers that say in which span a request is sent. */
export function traceHeaders({ context, propagation }: TracePropagation): Record<string, string> {
  const headers: Record<string, string> = {}
  propagation.inject(context.active(), headers)
  return headers
}

/** Runs what a request asks for within the trace that its headers name. */
export function withinTrace<R>(
  from: TracePropagation | undefined,
  headers: TraceHeaders,
  run: () => R,
): R {
  if (from === undefined) return run()
  const { context, propagation } = from
  return context.with(propagation.extract(context.active(), headers), run)
}

/** Does work in a span of its own; what it throws is said of the span, and thrown. */
export function inSpan<R>(
  tracer: Tracer | undefined,
  name: string,
  attributes: SpanAttributes,
  work: (span: Span | undefined) => Promise<R>,
): Promise<R> {
  if (tracer === undefined) return work(undefined)
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work(span)
    } catch (error) {
      failSpan(span, error)
      throw error
    } finally {
      span.end()
    }
  })
}

/** Says of a span that its work failed, and how. */
export function failSpan(span: Span, error: unknown): void {
  const message = errorText(error)
  span.recordException(error instanceof Error ? error : message)
  span.setStatus({ code: 2, message })
}
