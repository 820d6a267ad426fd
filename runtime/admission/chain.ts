import type { AnyKind } from '../kernel/kind.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Attempt, Place, Subject, Voice } from './attempt.ts'
import type { Plugin, Round } from './plugin.ts'

/** The way of one request through the plugins. */
export interface Case {
  /** The object as the mutating plugins leave it: the very same one if none changed it. */
  mutate<T extends ApiObject | undefined>(object: T, old?: ApiObject): Promise<T>
  validate(object: ApiObject | undefined, old?: ApiObject): Promise<void>
  readonly warnings: readonly string[]
  readonly annotations: ReadonlyMap<string, string>
  /** To be called once for every case that was begun, when its outcome is known. */
  settle(stored: boolean): Promise<void>
}

/** Decides about requests. */
export interface Admission {
  /** The way of a request; undefined if no plugin looks at it. */
  begin(attempt: Attempt): Case | undefined
  /** Ends what the plugins hold open. */
  close(): void
}

interface Lookers {
  readonly mutating: readonly Plugin[]
  readonly validating: readonly Plugin[]
}

/** The plugins, in order. Which of them look at a place is found out once for each. */
export function chainOf(plugins: readonly Plugin[]): Admission {
  const known = new WeakMap<AnyKind, Map<string, Lookers>>()
  return {
    begin(attempt) {
      const { resource, subresource = '', operation } = attempt
      const places = known.get(resource) ?? new Map<string, Lookers>()
      known.set(resource, places)
      const key = `${operation} ${subresource}`
      const lookers = places.get(key) ?? lookersAt(plugins, attempt)
      if (places.size < mostPlaces) places.set(key, lookers)
      const none = lookers.mutating.length + lookers.validating.length === 0
      return none ? undefined : new Way(attempt, lookers)
    },
    close() {
      for (const plugin of plugins) plugin.close?.()
    },
  }
}

const mostPlaces = 100

function lookersAt(plugins: readonly Plugin[], place: Place): Lookers {
  const looking = plugins.filter((plugin) => plugin.handles(place))
  return {
    mutating: looking.filter(({ mutate }) => mutate !== undefined),
    validating: looking.filter(({ validate }) => validate !== undefined),
  }
}

class Way implements Case, Voice {
  readonly #attempt: Attempt
  readonly #lookers: Lookers
  readonly #warnings = new Set<string>()
  readonly annotations = new Map<string, string>()
  readonly #after: ((stored: boolean) => Promise<void> | void)[] = []

  constructor(attempt: Attempt, lookers: Lookers) {
    this.#attempt = attempt
    this.#lookers = lookers
  }

  get warnings(): readonly string[] {
    return [...this.#warnings]
  }

  async mutate<T extends ApiObject | undefined>(given: T, old?: ApiObject): Promise<T> {
    if (this.#lookers.mutating.length === 0) return given
    const memory = new Map<unknown, unknown>()
    let another = false
    const askForAnother = () => {
      another = true
    }
    const first = await this.#round(given, old, { again: false, memory, askForAnother })
    if (!another) return first as T
    return this.#round(first, old, { again: true, memory, askForAnother() {} }) as Promise<T>
  }

  /** Waits only for plugins that do: most of them answer at once. */
  async #round(given: ApiObject | undefined, old: ApiObject | undefined, round: Round) {
    let subject = this.#subject(given, old)
    for (const plugin of this.#lookers.mutating) {
      const answer = plugin.mutate?.(subject, this, round)
      const object = answer instanceof Promise ? await answer : answer
      if (object !== undefined && object !== subject.object) subject = { ...subject, object }
    }
    return subject.object
  }

  async validate(object: ApiObject | undefined, old?: ApiObject): Promise<void> {
    if (this.#lookers.validating.length === 0) return
    const subject = this.#subject(object, old)
    for (const plugin of this.#lookers.validating) {
      const answer = plugin.validate?.(subject, this)
      if (answer instanceof Promise) await answer
    }
  }

  #subject(object: ApiObject | undefined, old: ApiObject | undefined): Subject {
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

  settled(run: (stored: boolean) => Promise<void> | void): void {
    this.#after.push(run)
  }

  async settle(stored: boolean): Promise<void> {
    for (const run of this.#after.splice(0)) await run(stored)
  }
}
