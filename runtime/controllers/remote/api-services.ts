/**
 * The objects that tell clients which group versions the server serves itself (supplement B-01, O-09).
 *
 * The server itself does not need them, so they are made when a request first asks for one: a start does not pay for
 * them, and the request finds them complete, as of the scheme that is served at this moment. From then on they are kept:
 * what is deleted comes back, what is changed in its spec is put right, and what is not served any more goes.
 */
import type { Client } from '../../client/client.ts'
import { deferred } from '../../kernel/async/deferred.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { JsonObject } from '../../kernel/values/json.ts'
import type { Log } from '../../observe/observe.ts'
import { again, done, type KeyController, watching } from '../../reconcile/reconcile.ts'
import { ignoreLostRace } from '../contract/lost-race.ts'

/** The kind of these objects, if a scheme shows it. */
export function apiServiceKind({ routes }: Scheme): AnyKind | undefined {
  return Object.values(routes).find(({ capabilities }) => capabilities === 'api-aggregation')
}

/** Where the objects of group versions are kept. */
export interface ApiServicesOptions {
  readonly client: Client
  readonly kind: AnyKind
  /** What is served at first. */
  readonly scheme: Scheme
  readonly log: Log
}

/** How long the controller waits after a failure. */
const retryMs = 1000

/** Keeps the objects of group versions, from when they are first asked for. */
export class ApiServices {
  readonly #options: ApiServicesOptions
  readonly #requested = deferred()
  #isRequested = false
  #scheme: Scheme
  /** What requests wait for until the objects are those of the scheme. */
  #settling: Promise<void> | undefined
  #isSettled = false
  #lastSync: Promise<void> = Promise.resolve()

  constructor(options: ApiServicesOptions) {
    this.#options = options
    this.#scheme = options.scheme
  }

  /** Resolves when the objects are first asked for. */
  get requested(): Promise<void> {
    return this.#requested.promise
  }

  /** The scheme that is served from now on. */
  serve(scheme: Scheme): void {
    this.#scheme = scheme
    this.#isSettled = false
    this.#settling = undefined
    if (this.#isRequested) void this.ready()
  }

  /** Resolves when the objects are there or cannot be made now, and never fails; undefined if there is nothing to wait for. */
  ready(): Promise<void> | undefined {
    this.#isRequested = true
    this.#requested.resolve()
    if (this.#isSettled) return undefined
    this.#settling ??= this.#settle(this.#scheme)
    return this.#settling
  }

  /**
   * Keeps the objects as the scheme says.
   *
   *   reads    APIService
   *   writes   APIService: create, update, delete
   *   wakes    when one of them changes
   *   settles  when there is one for each version that is served, and none for others
   */
  controller(): KeyController {
    const all = [{ name: 'all' }]
    return {
      name: 'api-services',
      watches: [watching(this.#options.kind, () => all)],
      seeds: all,
      reconcile: async () => {
        try {
          await this.#sync()
          return done
        } catch (error) {
          this.#warn(error)
          return again(retryMs)
        }
      },
    }
  }

  async #settle(scheme: Scheme): Promise<void> {
    try {
      await this.#sync()
    } catch (error) {
      this.#warn(error)
    }
    if (scheme === this.#scheme) this.#isSettled = true
  }

  #warn(error: unknown): void {
    this.#options.log.warn('objects of group versions not kept', { reason: String(error) })
  }

  /** One at a time. A failure concerns who waits for it; the controller tries again. */
  #sync(): Promise<void> {
    const sync = this.#lastSync.then(() => this.#syncNow())
    this.#lastSync = sync.catch(() => {})
    return sync
  }

  async #syncNow(): Promise<void> {
    const { client, kind } = this.#options
    const resource = client.resource<ApiService>(kind)
    const { items } = await resource.listAll()
    const plan = decideApiServices(items, this.#scheme)
    await Promise.all([
      ...plan.create.map((one) => ignoreLostRace(resource.create(one))),
      ...plan.update.map((one) => ignoreLostRace(resource.update(one))),
      ...plan.delete.map((one) => ignoreLostRace(resource.delete(one))),
    ])
  }
}

/** The writes after which there is an object for each version that is served. */
export interface ApiServicesPlan {
  readonly create: readonly WantedApiService[]
  readonly update: readonly Stored<ApiService>[]
  readonly delete: readonly Stored<ApiService>[]
}

/** What is to be written so that there is an object for each version that a scheme serves. Those of other authors stay. */
export function decideApiServices(
  stored: readonly Stored<ApiService>[],
  scheme: Scheme,
): ApiServicesPlan {
  const key = automanaged(scheme)
  const wanted = wantedApiServices(scheme)
  const names = new Set(stored.map(({ metadata }) => metadata.name))
  const ours = stored.filter(({ metadata }) => metadata.labels?.[key] !== undefined)
  return {
    create: [...wanted.values()].filter(({ metadata }) => !names.has(metadata.name)),
    update: ours.flatMap((one) => {
      const right = wanted.get(one.metadata.name)
      return right === undefined || deepEqual(one.spec, right.spec)
        ? []
        : [{ ...one, spec: right.spec }]
    }),
    delete: ours.filter(
      ({ metadata: { name, deletionTimestamp } }) =>
        !wanted.has(name) && deletionTimestamp === undefined,
    ),
  }
}

interface ApiService extends ApiObject {
  readonly spec?: JsonObject
}

/** What the object of a group version is to say. */
export interface WantedApiService {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly spec: JsonObject
}

/** The label of objects that the server keeps: `onstart` for its own versions, `true` for those that definitions bring. */
function automanaged({ platform: { prefix, domain } }: Scheme): string {
  return `${prefix}-aggregator.${domain}/automanaged`
}

/** What a version of a group that is listed nowhere has. */
const unlisted = { priority: 1000, rank: 100 }

/** The objects of the group versions that a scheme serves, by name. */
export function wantedApiServices(scheme: Scheme): ReadonlyMap<string, WantedApiService> {
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
