import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Log } from '../../observe/observe.ts'
import type { Attributes, Recorder, RequestAttributes, ResourceOperation } from './attributes.ts'
import type { Admission, AdmissionPass } from './contract.ts'
import type { AdmissionMetrics, ObserveDuration, Step } from './metrics.ts'
import type { AdmissionPlugin, ReinvocationContext } from './plugin.ts'

/** A plugin with the name that metrics count it by. */
export interface NamedPlugin {
  readonly name: string
  readonly plugin: AdmissionPlugin
}

/** What the chain needs beside its plugins. */
export interface ChainOptions {
  readonly clock: Clock
  readonly metrics: AdmissionMetrics
  /** Takes the errors of `Recorder.onSettled` callbacks: the response has already been decided by then. */
  readonly log: Log
}

/** A plugin that handles a request, with the metric of its durations. */
interface TimedPlugin {
  readonly plugin: AdmissionPlugin
  readonly observe: ObserveDuration
}

/** The plugins that handle one operation on one resource, in order. */
interface HandlingPlugins {
  readonly mutating: readonly TimedPlugin[]
  readonly validating: readonly TimedPlugin[]
  /** The durations of all mutating plugins together. */
  readonly observeAdmit: ObserveDuration
  /** The durations of all validating plugins together. */
  readonly observeValidate: ObserveDuration
}

/** Bound on the memory of the chain: an unknown subresource in a path must not grow it for ever. */
const maxKeysOfResource = 100

/**
 * The admission chain of these plugins, in their order. Which of them handle an operation on a resource is computed once, so
 * that a request that no plugin handles costs two map lookups.
 */
export function createChain(plugins: readonly NamedPlugin[], options: ChainOptions): Admission {
  const byResource = new WeakMap<AnyKind, Map<string, HandlingPlugins>>()
  return {
    begin(attributes) {
      const { resource, subresource = '', operation } = attributes
      const known = byResource.get(resource) ?? new Map<string, HandlingPlugins>()
      byResource.set(resource, known)
      const key = `${operation} ${subresource}`
      const handling = known.get(key) ?? handlingPlugins(plugins, attributes, options.metrics)
      if (known.size < maxKeysOfResource) known.set(key, handling)
      const isEmpty = handling.mutating.length + handling.validating.length === 0
      return isEmpty ? undefined : new ChainPass(attributes, handling, options)
    },
    close() {
      for (const { plugin } of plugins) plugin.close?.()
    },
  }
}

/** Selects the plugins for a request, and looks up the series of their metrics. */
function handlingPlugins(
  plugins: readonly NamedPlugin[],
  request: ResourceOperation,
  metrics: AdmissionMetrics,
): HandlingPlugins {
  const { operation } = request
  const handling = plugins.filter(({ plugin }) => plugin.handles(request))
  const withMethod = (method: 'mutate' | 'validate', step: Step) =>
    handling
      .filter(({ plugin }) => plugin[method] !== undefined)
      .map(({ name, plugin }) => ({ plugin, observe: metrics.plugin(name, step, operation) }))
  return {
    mutating: withMethod('mutate', 'admit'),
    validating: withMethod('validate', 'validate'),
    observeAdmit: metrics.step('admit', operation),
    observeValidate: metrics.step('validate', operation),
  }
}

/** The pass of one request. Its plugins, in order, are those that handle the operation on the resource. */
class ChainPass implements AdmissionPass, Recorder {
  readonly #request: RequestAttributes
  readonly #plugins: HandlingPlugins
  readonly #clock: Clock
  readonly #log: Log
  readonly #warnings = new Set<string>()
  readonly annotations = new Map<string, string>()
  readonly #callbacks: ((stored: boolean) => Promise<void> | void)[] = []

  constructor(request: RequestAttributes, plugins: HandlingPlugins, { clock, log }: ChainOptions) {
    this.#request = request
    this.#plugins = plugins
    this.#clock = clock
    this.#log = log
  }

  get warnings(): readonly string[] {
    return [...this.#warnings]
  }

  async mutate<T extends ApiObject | undefined>(object: T, oldObject?: ApiObject): Promise<T> {
    const { mutating, observeAdmit } = this.#plugins
    if (mutating.length === 0) return object
    const mutated = await this.#timed(observeAdmit, () => this.#mutateTwice(object, oldObject))
    return mutated as T
  }

  /** Runs the mutating plugins, and once more if one of them asked for it. `values` lives for both runs. */
  async #mutateTwice(object: ApiObject | undefined, oldObject: ApiObject | undefined) {
    const values = new Map<unknown, unknown>()
    let shouldReinvoke = false
    const setShouldReinvoke = () => {
      shouldReinvoke = true
    }
    const first = { isReinvoke: false, values, setShouldReinvoke }
    const mutated = await this.#mutateOnce(object, oldObject, first)
    if (!shouldReinvoke) return mutated
    return this.#mutateOnce(mutated, oldObject, { ...first, isReinvoke: true })
  }

  async #mutateOnce(
    object: ApiObject | undefined,
    oldObject: ApiObject | undefined,
    reinvocation: ReinvocationContext,
  ) {
    let attributes = this.#attributes(object, oldObject)
    for (const { plugin, observe } of this.#plugins.mutating) {
      const result = this.#timed(observe, () => plugin.mutate?.(attributes, this, reinvocation))
      // Most plugins are synchronous: an `await` for each of them would cost a turn of the microtask queue.
      const mutated = result instanceof Promise ? await result : result
      if (mutated !== undefined && mutated !== attributes.object) {
        attributes = { ...attributes, object: mutated }
      }
    }
    return attributes.object
  }

  async validate(object: ApiObject | undefined, oldObject?: ApiObject): Promise<void> {
    const { validating, observeValidate } = this.#plugins
    if (validating.length === 0) return
    const attributes = this.#attributes(object, oldObject)
    await this.#timed(observeValidate, () => this.#validateAll(attributes))
  }

  async #validateAll(attributes: Attributes): Promise<void> {
    for (const { plugin, observe } of this.#plugins.validating) {
      const result = this.#timed(observe, () => plugin.validate?.(attributes, this))
      if (result instanceof Promise) await result
    }
  }

  /** Runs a step, synchronously if it is, and observes its duration and whether it rejected the request. */
  #timed<T>(observe: ObserveDuration, run: () => Awaitable<T>): Awaitable<T> {
    const start = this.#clock.now()
    const end = (rejected: boolean) => observe(this.#clock.now() - start, rejected)
    const resolved = (value: T) => {
      end(false)
      return value
    }
    const rejected = (error: unknown): never => {
      end(true)
      throw error
    }
    let result: Awaitable<T>
    try {
      result = run()
    } catch (error) {
      return rejected(error)
    }
    return result instanceof Promise ? result.then(resolved, rejected) : resolved(result)
  }

  #attributes(object: ApiObject | undefined, oldObject: ApiObject | undefined): Attributes {
    return {
      ...this.#request,
      ...(object && { object }),
      ...(oldObject && { oldObject }),
    }
  }

  warn(text: string): void {
    this.#warnings.add(text)
  }

  annotate(key: string, value: string): void {
    this.annotations.set(key, value)
  }

  onSettled(run: (stored: boolean) => Promise<void> | void): void {
    this.#callbacks.push(run)
  }

  async settle(stored: boolean): Promise<void> {
    for (const run of this.#callbacks.splice(0)) {
      try {
        await run(stored)
      } catch (error) {
        this.#log.error('admission not settled', { stored }, error)
      }
    }
  }
}
