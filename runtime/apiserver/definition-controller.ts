import {
  acceptNames,
  type CreateKinds,
  type CustomKind,
  compileKinds,
  type Definition,
  isConditionTrue,
  type KindEnvironment,
  NamesInUse,
  statusWithNames,
} from '../apiextensions/apiextensions.ts'
import { type Clock, pause } from '../kernel/async/clock.ts'
import { needsSlices, runInSlices, yieldToEventLoop } from '../kernel/async/slices.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import { isStatus } from '../kernel/errors/status-error.ts'
import { type Condition, upsertCondition } from '../kernel/meta/status-conditions.ts'
import { deepEqual } from '../kernel/values/deep-equal.ts'
import type { Log } from '../observe/observe.ts'
import {
  type Body,
  type Registry,
  type WatchEvent,
  withoutConversion,
} from '../registry/registry.ts'

/** The kinds that definitions make: those that are there, and those of them that clients may use. */
export interface DefinedKinds {
  readonly all: readonly CustomKind[]
  readonly served: readonly CustomKind[]
}

export interface DefinitionControllerOptions {
  readonly registry: Registry
  readonly kind: AnyKind
  readonly clock: Clock
  readonly log: Log
  readonly surroundings: KindEnvironment
  /** Puts kinds in the place of those served so far. */
  readonly serve: (kinds: DefinedKinds) => void
}

/** A definition and the kinds made of it, and what they were made of. */
interface Known {
  /** As it is stored. */
  readonly stored: Definition
  /** With the status that follows. */
  readonly definition: Definition
  readonly kinds: readonly CustomKind[]
  /** Makes those that take their place when it is served next. */
  readonly make?: CreateKinds
}

/**
 * The kinds that stored definitions make. A definition gets the names that nobody else of its group has; then its kinds are
 * served; then its status says so. One that is deleted keeps its kinds until the last of its objects is gone.
 */
export class DefinitionController {
  readonly #options: DefinitionControllerOptions
  readonly #known = new Map<string, Known>()
  readonly #names = new NamesInUse()
  readonly #emptying = new Map<string, Promise<void>>()

  constructor(options: DefinitionControllerOptions) {
    this.#options = options
  }

  /** Serves what the stored definitions make. */
  async sync(): Promise<void> {
    const { registry, kind } = this.#options
    const { items } = await registry.list({ kind }, {})
    for (const item of items) await this.#take(item.object() as Definition)
    this.#serve()
  }

  /** Follows the store until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { registry, kind, clock, log } = this.#options
    while (!signal.aborted) {
      try {
        for await (const batch of registry.watch({ kind }, { bookmarks: false }, signal)) {
          await this.#changed(batch, signal)
        }
      } catch (error) {
        if (signal.aborted) break
        log.warn('definitions not followed', { reason: String(error) })
      }
      await pause(clock, 200, signal)
      if (!signal.aborted) await this.#recover()
    }
    await Promise.all(this.#emptying.values())
  }

  /** After a gap in the events, what is gone is gone. */
  async #recover(): Promise<void> {
    const { registry, kind } = this.#options
    const { items } = await registry.list({ kind }, {})
    const names = new Set(items.map((item) => item.object().metadata.name ?? ''))
    for (const name of [...this.#known.keys()]) if (!names.has(name)) this.#forget(name)
    this.#serve()
  }

  async #changed(batch: readonly WatchEvent[], signal: AbortSignal): Promise<void> {
    const groups = new Set<string>()
    const names = new Set<string>()
    let changed = false
    for (const { type, item } of batch) {
      if (type === 'BOOKMARK') continue
      const definition = item.object() as Definition
      if (needsSlices(item.bytes.length)) await yieldToEventLoop()
      const name = definition.metadata.name ?? ''
      if (type === 'DELETED') changed = this.#forget(name) || changed
      else changed = (await this.#take(definition)) || changed
      groups.add(definition.spec.group)
      names.add(name)
      await yieldToEventLoop()
    }
    if (changed) this.#serve()
    for (const [name, { stored }] of [...this.#known]) {
      const waits = groups.has(stored.spec.group) && !isSettled(stored)
      if (waits || names.has(name)) await this.#settle(stored)
    }
    for (const { definition } of this.#known.values()) this.#empty(definition, signal)
  }

  /** Takes a definition as it is now; true if what is served changes by it. */
  async #take(definition: Definition): Promise<boolean> {
    const { surroundings: around } = this.#options
    const name = definition.metadata.name ?? ''
    const before = this.#known.get(name)
    const named = this.#named(definition)
    if (before !== undefined && sameKinds(before.definition, named)) {
      this.#remember(name, { ...before, stored: definition, definition: named })
      return false
    }
    const shown = isEstablished(named)
    const kinds = before?.kinds ?? []
    const make = shown ? await runInSlices(compileKinds(named, around)) : () => []
    this.#remember(name, { stored: definition, definition: named, kinds, make })
    return shown || kinds.length > 0
  }

  #remember(name: string, known: Known): void {
    const before = this.#known.get(name)
    if (before !== undefined) this.#names.remove(before.definition)
    this.#known.set(name, known)
    this.#names.add(known.definition)
  }

  /** True if it was known. */
  #forget(name: string): boolean {
    const known = this.#known.get(name)
    if (known !== undefined) this.#names.remove(known.definition)
    return this.#known.delete(name)
  }

  /** The definition with the names that it gets. */
  #named(definition: Definition): Definition {
    const { clock, registry } = this.#options
    const naming = acceptNames(definition, this.#names.for(definition))
    const status = statusWithNames(definition, naming, registry.scheme.platform, clock.now())
    return { ...definition, status }
  }

  #serve(): void {
    const { serve, registry } = this.#options
    for (const [name, { make, ...one }] of this.#known) {
      if (make) this.#known.set(name, { ...one, kinds: make(registry.revision) })
    }
    const known = [...this.#known.values()]
    const served = known.flatMap(({ definition, kinds }) => {
      const names = definition.spec.versions.filter((one) => one.served).map(({ name }) => name)
      return kinds.filter(({ kind }) => names.includes(kind.version))
    })
    serve({ all: served, served })
  }

  /** Writes the status that a definition should have, if it has another. Whoever was first to write is right. */
  async #settle(stored: Definition): Promise<void> {
    const { registry, kind, log } = this.#options
    const name = stored.metadata.name ?? ''
    if (deepEqual(stored.status, this.#named(stored).status)) return
    try {
      const current = (await registry.get({ kind, name }, {})).object() as Definition
      const { status } = this.#named(current)
      if (deepEqual(current.status, status)) return
      await this.#write(current, { ...current, status: status ?? {} })
    } catch (error) {
      if (isStatus(error, 'Conflict') || isStatus(error, 'NotFound')) return
      log.error('status of a definition not written', { definition: name }, error)
    }
  }

  async #write(current: Definition, next: Definition, subresource = 'status'): Promise<void> {
    const { registry, kind } = this.#options
    const { name = '' } = current.metadata
    const target = { kind, name, ...(subresource && { subresource }) }
    await registry.update(target, bodyOf(next), {
      dryRun: false,
      fieldValidation: 'Ignore',
      manager: `${registry.scheme.platform.prefix}-apiserver`,
    })
  }

  /** Begins to delete the objects of a definition that is being deleted. */
  #empty(definition: Definition, signal: AbortSignal): void {
    const { name = '', deletionTimestamp, finalizers = [] } = definition.metadata
    if (deletionTimestamp === undefined || !finalizers.includes(this.#finalizer)) return
    if (this.#emptying.has(name)) return
    const work = this.#emptied(name, signal).finally(() => this.#emptying.delete(name))
    this.#emptying.set(name, work)
  }

  get #finalizer(): string {
    return `customresourcecleanup.apiextensions.${this.#options.registry.scheme.platform.api}`
  }

  async #emptied(name: string, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options
    for (let waitMs = 50; !signal.aborted; waitMs = Math.min(waitMs * 2, 5000)) {
      try {
        const left = await this.#deleteObjects(name)
        if (left === 0) return await this.#release(name)
        await this.#tell(name, {
          type: 'Terminating',
          status: 'True',
          reason: 'InstanceDeletionInProgress',
          message: `CustomResource deletion is in progress: ${left} left`,
        })
      } catch (error) {
        if (isStatus(error, 'NotFound')) return
        if (!isStatus(error, 'Conflict')) {
          log.error('objects of a definition not deleted', { definition: name }, error)
        }
      }
      await pause(clock, waitMs, signal)
    }
  }

  /** Deletes the objects, and gives how many are still there. */
  async #deleteObjects(name: string): Promise<number> {
    const { registry } = this.#options
    const kinds = this.#known.get(name)?.kinds ?? []
    const stored = kinds.find(({ kind }) => kind.storageVersion === undefined)
    if (stored === undefined) return 0
    const target = { kind: withoutConversion(stored.kind) }
    await registry.deleteCollection(target, {}, { dryRun: false })
    return (await registry.list(target, {})).items.length
  }

  async #tell(name: string, condition: Condition): Promise<Definition> {
    const { registry, kind, clock } = this.#options
    const current = (await registry.get({ kind, name }, {})).object() as Definition
    const before = current.status?.conditions ?? []
    const conditions = upsertCondition(before, condition, clock.now())
    if (conditions === before) return current
    const next = { ...current, status: { ...current.status, conditions } }
    await this.#write(current, next)
    return (await registry.get({ kind, name }, {})).object() as Definition
  }

  async #release(name: string): Promise<void> {
    const told = await this.#tell(name, {
      type: 'Terminating',
      status: 'False',
      reason: 'InstanceDeletionCompleted',
      message: 'removed all instances',
    })
    const { finalizers = [], ...rest } = told.metadata
    const kept = finalizers.filter((one) => one !== this.#finalizer)
    await this.#write(told, { ...told, metadata: { ...rest, finalizers: kept } }, '')
  }
}

/** True for a definition whose kinds are there: its names are its own. */
function isEstablished(definition: Definition): boolean {
  return isConditionTrue(definition, 'Established')
}

/** True for one that has all the names which it wants: what others do changes nothing for it. */
function isSettled(definition: Definition): boolean {
  return isConditionTrue(definition, 'Established') && isConditionTrue(definition, 'NamesAccepted')
}

/** True if two states of a definition make the same kinds. Another spec is another generation. */
function sameKinds(a: Definition, b: Definition): boolean {
  const facts = ({ metadata, spec, status }: Definition) => [
    metadata.uid,
    metadata.generation,
    metadata.deletionTimestamp,
    status?.acceptedNames,
    isEstablished({ metadata, spec, status } as Definition),
  ]
  return deepEqual(facts(a), facts(b))
}

function bodyOf(value: object): Body {
  return { value: value as Body['value'], duplicates: [] }
}
