/** A small SDK of OpenTelemetry over the interfaces of `@opentelemetry/api`: spans are kept, contexts follow promises. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import {
  type Context,
  type ContextManager,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanOptions,
  type TextMapPropagator,
  type Tracer,
  trace,
} from '@opentelemetry/api'

/** A span that has ended. */
export interface KeptSpan {
  readonly name: string
  readonly trace: string
  readonly id: string
  readonly parent: string | undefined
  readonly attributes: Record<string, unknown>
  readonly status: number | undefined
}

class Contexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>()

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    active: Context,
    work: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.#storage.run(active, () => work.call(self as never, ...args))
  }

  bind<T>(active: Context, target: T): T {
    return typeof target === 'function'
      ? (((...args: unknown[]) => this.#storage.run(active, () => target(...args)) as T) as T)
      : target
  }

  enable(): this {
    return this
  }

  disable(): this {
    this.#storage.disable()
    return this
  }
}

/** The form of W3C Trace Context. */
const w3c: TextMapPropagator = {
  inject(active, carrier, setter) {
    const span = trace.getSpanContext(active)
    if (span) setter.set(carrier, 'traceparent', `00-${span.traceId}-${span.spanId}-01`)
  },
  extract(active, carrier, getter) {
    const [, traceId, spanId] = String(getter.get(carrier, 'traceparent') ?? '').split('-')
    if (traceId === undefined || spanId === undefined) return active
    return trace.setSpanContext(active, { traceId, spanId, traceFlags: 1, isRemote: true })
  },
  fields: () => ['traceparent'],
}

class KeepingTracer implements Tracer {
  readonly spans: KeptSpan[] = []

  startSpan(name: string, { attributes = {} }: SpanOptions = {}, active = context.active()): Span {
    const parent = trace.getSpanContext(active)
    const own: SpanContext = {
      traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      traceFlags: 1,
    }
    const kept = { ...attributes } as Record<string, unknown>
    let status: number | undefined
    const { spans } = this
    const span: Span = {
      spanContext: () => own,
      setAttribute: (key, value) => span.setAttributes({ [key]: value }),
      setAttributes: (more) => {
        Object.assign(kept, more)
        return span
      },
      addEvent: () => span,
      addLink: () => span,
      addLinks: () => span,
      setStatus: ({ code }) => {
        status = code
        return span
      },
      updateName: () => span,
      end: () => {
        const ids = { trace: own.traceId, id: own.spanId, parent: parent?.spanId }
        spans.push({ name, ...ids, attributes: kept, status })
      },
      isRecording: () => true,
      recordException: () => {},
    }
    return span
  }

  startActiveSpan<F extends (span: Span) => unknown>(
    name: string,
    ...rest: readonly unknown[]
  ): ReturnType<F> {
    const work = rest.at(-1) as F
    const options = rest.length > 1 ? (rest[0] as SpanOptions) : {}
    const active = (rest.length > 2 ? rest[1] : context.active()) as Context
    const span = this.startSpan(name, options, active)
    return context.with(trace.setSpan(active, span), () => work(span)) as ReturnType<F>
  }
}

/** Registers the SDK with the API of this process, and gives its spans. */
export function keepTraces(): readonly KeptSpan[] {
  const tracer = new KeepingTracer()
  context.setGlobalContextManager(new Contexts())
  propagation.setGlobalPropagator(w3c)
  trace.setGlobalTracerProvider({ getTracer: () => tracer })
  return tracer.spans
}
