import type { Clock } from '../../kernel/async/clock.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Log } from '../../observe/observe.ts'
import type { Attributes, Recorder, RequestAttributes, ResourceOperation } from './attributes.ts'
import type { AdmissionMetrics, ObserveDuration } from './metrics.ts'
import type { AdmissionPlugin, ReinvocationContext } from './plugin.ts'

/** The way of one request through the plugins. */
export interface AdmissionPass {
  /** The object as the mutating plugins leave it: the very same one if none changed it. */
  mutate<T extends ApiObject | undefined>(object: T, old?: ApiObject): Promise<T>
  validate(object: ApiObject | undefined, old?: ApiObject): Promise<void>
  readonly warnings: readonly string[]
  readonly annotations: ReadonlyMap<string, string>
  /** To be called once for every case that was begun, when its outcome is known, which it does not change: it never fails. */
  settle(stored: boolean): Promise<void>
}

/** Decides about requests. */
export interface Admission {
  /** The way of a request; undefined if no plugin looks at it. */
  begin(attempt: RequestAttributes): AdmissionPass | undefined
  /** Ends what the plugins hold open. */
  close(): void
}

/** A plugin under the name that it is counted by. */
export interface NamedPlugin {
  readonly name: string
  readonly plugin: AdmissionPlugin
}

/** What the chain counts with, and where it tells what no request hears of. */
export interface ChainOptions {
  readonly clock: Clock
  readonly metrics: AdmissionMetrics
  readonly log: Log
}

/** A plugin at one place, and who hears how long it took there. */
interface TimedPlugin {
  readonly plugin: AdmissionPlugin
  readonly observe: ObserveDuration
}

interface HandlingPlugins {
  readonly mutating: readonly TimedPlugin[]
  readonly validating: readonly TimedPlugin[]
  /** Hear how long all of them took together. */
  readonly observeAdmit: ObserveDuration
  readonly observeValidate: ObserveDuration
}

/** The plugins, in order. Which of them look at a place is found out once for each. */
export function createChain(plugins: readonly NamedPlugin[], counting: ChainOptions): Admission {
  const known = new WeakMap<AnyKind, Map<string, HandlingPlugins>>()
  return {
    begin(attempt) {
      const { resource, subresource = '', operation } = attempt
      const places = known.get(resource) ?? new Map<string, HandlingPlugins>()
      known.set(resource, places)
      const key = `${operation} ${subresource}`
      const lookers = places.get(key) ?? handlingPlugins(plugins, attempt, counting)
      if (places.size < maxKeysOfResource) places.set(key, lookers)
      const none = lookers.mutating.length + lookers.validating.length === 0
      return none ? undefined : new ChainPass(attempt, lookers, counting)
    },
    close() {
      for (const { plugin } of plugins) plugin.close?.()
    },
  }
}

const maxKeysOfResource = 100

function handlingPlugins(
  plugins: readonly NamedPlugin[],
  place: ResourceOperation,
  { metrics: meters }: ChainOptions,
): HandlingPlugins {
  const { operation } = place
  const looking = plugins.filter(({ plugin }) => plugin.handles(place))
  const lookers = (step: 'admit' | 'validate', has: (plugin: AdmissionPlugin) => boolean) =>
    looking
      .filter(({ plugin }) => has(plugin))
      .map(({ name, plugin }) => ({ plugin, observe: meters.plugin(name, step, operation) }))
  return {
    mutating: lookers('admit', ({ mutate }) => mutate !== undefined),
    validating: lookers('validate', ({ validate }) => validate !== undefined),
    observeAdmit: meters.step('admit', operation),
    observeValidate: meters.step('validate', operation),
  }
}

class ChainPass implements AdmissionPass, Recorder {
  readonly #attempt: RequestAttributes
  readonly #lookers: HandlingPlugins
  readonly #clock: Clock
  readonly #log: Log
  readonly #warnings = new Set<string>()
  readonly annotations = new Map<string, string>()
  readonly #after: ((stored: boolean) => Promise<void> | void)[] = []

  constructor(attempt: RequestAttributes, lookers: HandlingPlugins, { clock, log }: ChainOptions) {
    this.#attempt = attempt
    this.#lookers = lookers
    this.#clock = clock
    this.#log = log
  }

  get warnings(): readonly string[] {
    return [...this.#warnings]
  }

  async mutate<T extends ApiObject | undefined>(given: T, old?: ApiObject): Promise<T> {
    const { mutating, observeAdmit: admitted } = this.#lookers
    if (mutating.length === 0) return given
    const ended = this.#start(admitted)
    try {
      const memory = new Map<unknown, unknown>()
      let another = false
      const askForAnother = () => {
        another = true
      }
      let object = await this.#round(given, old, {
        isReinvoke: false,
        values: memory,
        setShouldReinvoke: askForAnother,
      })
      if (another) {
        object = await this.#round(object, old, {
          isReinvoke: true,
          values: memory,
          setShouldReinvoke() {},
        })
      }
      ended(false)
      return object as T
    } catch (error) {
      ended(true)
      throw error
    }
  }

  /** Waits only for plugins that do: most of them answer at once. */
  async #round(
    given: ApiObject | undefined,
    old: ApiObject | undefined,
    round: ReinvocationContext,
  ) {
    let subject = this.#subject(given, old)
    for (const { plugin, observe: timed } of this.#lookers.mutating) {
      const ended = this.#start(timed)
      try {
        const answer = plugin.mutate?.(subject, this, round)
        const object = answer instanceof Promise ? await answer : answer
        if (object !== undefined && object !== subject.object) subject = { ...subject, object }
        ended(false)
      } catch (error) {
        ended(true)
        throw error
      }
    }
    return subject.object
  }

  async validate(object: ApiObject | undefined, old?: ApiObject): Promise<void> {
    const { validating, observeValidate: validated } = this.#lookers
    if (validating.length === 0) return
    const ended = this.#start(validated)
    const subject = this.#subject(object, old)
    let last: typeof ended | undefined
    try {
      for (const { plugin, observe: timed } of validating) {
        last = this.#start(timed)
        const answer = plugin.validate?.(subject, this)
        if (answer instanceof Promise) await answer
        last(false)
      }
      ended(false)
    } catch (error) {
      last?.(true)
      ended(true)
      throw error
    }
  }

  /** To be told how it ended. */
  #start(timed: ObserveDuration): (rejected: boolean) => void {
    const began = this.#clock.now()
    return (rejected) => timed(this.#clock.now() - began, rejected)
  }

  #subject(object: ApiObject | undefined, old: ApiObject | undefined): Attributes {
    const attempt = this.#attempt
    if (object === undefined) return old === undefined ? attempt : { ...attempt, old }
    return old === undefined ? { ...attempt, object } : { ...attempt, object, old }
  }

  warn(text: string): void {
    this.#warnings.add(text)
  }

  annotate(key: string, value: string): void {
    this.annotations.set(key, value)
  }

  onSettled(run: (stored: boolean) => Promise<void> | void): void {
    this.#after.push(run)
  }

  async settle(stored: boolean): Promise<void> {
    for (const run of this.#after.splice(0)) {
      try {
        await run(stored)
      } catch (error) {
        this.#log.error('admission not settled', { stored }, error)
      }
    }
  }
}
