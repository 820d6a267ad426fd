/**
 * The objects that tell clients which group versions the server answers for itself (supplement B-01, O-09).
 *
 * Nobody else needs them, so they are made when somebody first asks for one: a start does not pay for them, and whoever
 * looks finds them complete, as of the tree that is served at this moment. From then on they are followed: what is deleted
 * comes back, what is changed in its spec is put right, and what is not served any more goes.
 */

import { type Clock, pause } from '../kernel/async/clock.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import { isStatus } from '../kernel/errors/status-error.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import { deepEqual } from '../kernel/values/deep-equal.ts'
import type { JsonObject } from '../kernel/values/json.ts'
import type { Log } from '../observe/observe.ts'
import type { Body, Registry } from '../registry/registry.ts'

/** The kind of these objects, if a tree shows it. */
export function apiServiceKind({ routes }: Scheme): AnyKind | undefined {
  return Object.values(routes).find(({ capabilities: needs }) => needs === 'api-aggregation')
}

export interface ApiServiceRegistrationOptions {
  readonly registry: Registry
  readonly kind: AnyKind
  /** What is served at first. */
  readonly scheme: Scheme
  readonly clock: Clock
  readonly log: Log
}

export class ApiServiceRegistration {
  readonly #options: ApiServiceRegistrationOptions
  readonly #asked: Promise<void>
  #tellAsked = (): void => {}
  #tree: Scheme
  /** False as long as the objects may be those of another tree. */
  #settled = false
  #settling: Promise<void> | undefined
  #isAsked = false
  #work: Promise<void> = Promise.resolve()

  constructor(options: ApiServiceRegistrationOptions) {
    this.#options = options
    this.#tree = options.scheme
    this.#asked = new Promise((resolve) => {
      this.#tellAsked = resolve
    })
  }

  /** The tree that is served from now on. */
  serve(scheme: Scheme): void {
    this.#tree = scheme
    this.#settled = false
    this.#settling = undefined
    if (this.#isAsked) void this.ready()
  }

  /** Settles when the objects are there or cannot be made now, and never fails; undefined if nothing is to be waited for. */
  ready(): Promise<void> | undefined {
    this.#isAsked = true
    this.#tellAsked()
    if (this.#settled) return undefined
    this.#settling ??= this.#begin(this.#tree)
    return this.#settling
  }

  async #begin(scheme: Scheme): Promise<void> {
    try {
      await this.#settle()
    } catch (error) {
      this.#failed(error)
    }
    if (scheme === this.#tree) this.#settled = true
  }

  /** Keeps the objects until `signal` aborts, from when they are first asked for. */
  async run(signal: AbortSignal): Promise<void> {
    const { registry, kind, clock } = this.#options
    signal.addEventListener('abort', this.#tellAsked, { once: true })
    if (!signal.aborted) await this.#asked
    while (!signal.aborted) {
      try {
        await this.#settle()
        for await (const _ of registry.watch({ kind }, { bookmarks: false }, signal)) {
          await this.#settle()
        }
      } catch (error) {
        if (!signal.aborted) this.#failed(error)
      }
      await pause(clock, 1000, signal)
    }
    await this.#work
  }

  #failed(error: unknown): void {
    this.#options.log.warn('objects of group versions not kept', { reason: String(error) })
  }

  /** One at a time. A failure concerns who asked for it, and is tried again by whoever keeps the objects. */
  #settle(): Promise<void> {
    const work = this.#work.then(() => this.#bring())
    this.#work = work.catch(() => {})
    return work
  }

  async #bring(): Promise<void> {
    const { registry, kind } = this.#options
    const key = automanaged(this.#tree)
    const wanted = wantedApiServices(this.#tree)
    const { items } = await registry.list({ kind }, {})
    const stored = items.map((item) => item.object() as Stored)
    const names = new Set(stored.map(({ metadata }) => metadata.name))
    const ours = stored.filter(({ metadata }) => metadata.labels?.[key] !== undefined)
    await Promise.all([
      ...[...wanted.values()].filter(({ metadata }) => !names.has(metadata.name)).map(this.#create),
      ...ours.map((one) => {
        const right = wanted.get(one.metadata.name ?? '')
        if (right === undefined) return this.#remove(one)
        return deepEqual(one.spec, right.spec) ? undefined : this.#mend(one, right.spec)
      }),
    ])
  }

  readonly #create = (one: WantedApiService): Promise<void> => {
    const { registry, kind } = this.#options
    return unlessMeanwhile(registry.create({ kind }, bodyOf(one), this.#writing))
  }

  #mend(stored: Stored, spec: JsonObject): Promise<void> {
    const { registry, kind } = this.#options
    const target = { kind, name: stored.metadata.name ?? '' }
    return unlessMeanwhile(registry.update(target, bodyOf({ ...stored, spec }), this.#writing))
  }

  #remove({ metadata: { name = '', uid = '', deletionTimestamp } }: Stored): Promise<void> {
    const { registry, kind } = this.#options
    if (deletionTimestamp !== undefined) return Promise.resolve()
    const options = { dryRun: false, preconditions: { uid } }
    return unlessMeanwhile(registry.delete({ kind, name }, options))
  }

  get #writing() {
    const manager = `${this.#tree.platform.prefix}-apiserver`
    return { dryRun: false, fieldValidation: 'Ignore', manager } as const
  }
}

interface Stored extends ApiObject {
  readonly spec?: JsonObject
}

interface WantedApiService {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly spec: JsonObject
}

/** The label of objects that the server keeps: `onstart` for its own versions, `true` for those that definitions bring. */
function automanaged({ platform: { prefix, domain } }: Scheme): string {
  return `${prefix}-aggregator.${domain}/automanaged`
}

/** What a version of a group that is listed nowhere has. */
const unlisted = { priority: 1000, rank: 100 }

function wantedApiServices(scheme: Scheme): ReadonlyMap<string, WantedApiService> {
  const key = automanaged(scheme)
  const groups = new Map(scheme.groups.map((one) => [one.group, one]))
  const wanted = new Map<string, WantedApiService>()
  for (const { group, version, customResource: custom } of Object.values(scheme.routes)) {
    const name = `${version}.${group}`
    const known = wanted.get(name)
    if (known !== undefined && (custom || known.metadata.labels[key] === 'onstart')) continue
    const facts = groups.get(group)
    wanted.set(name, {
      metadata: { name, labels: { [key]: custom === undefined ? 'onstart' : 'true' } },
      spec: {
        ...(group && { group }),
        version,
        groupPriorityMinimum: facts?.priority ?? unlisted.priority,
        versionPriority: facts?.ranks?.[version] ?? unlisted.rank,
      },
    })
  }
  return wanted
}

/** Waits for a write; one that came too late because somebody else wrote is looked at again by its event. */
async function unlessMeanwhile(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    const late = ['AlreadyExists', 'Conflict', 'NotFound'] as const
    if (!late.some((reason) => isStatus(error, reason))) throw error
  }
}

function bodyOf(value: object): Body {
  return { value: value as Body['value'], duplicates: [] }
}
