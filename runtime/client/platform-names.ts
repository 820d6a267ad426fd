/**
 * One set of kinds for servers of both names: groups such as `coordination.<api>` are requested as the server calls them, and
 * names inside of objects that the platform gives a meaning are called as it calls them. Callers always see their own names.
 */

import { onAbort } from '../kernel/async/abort-signal.ts'
import type { Platform, PublicNames } from '../kernel/descriptors/platform.ts'
import { isStatus } from '../kernel/errors/status-error.ts'
import { isObject, type JsonObject } from '../kernel/values/json.ts'
import { type Renames, renamed, renamedPatch, renamedSelector } from './renamed.ts'
import type { RestClient, RestRequest } from './rest-client.ts'

/** The suffixes by which a platform's groups may be called. */
export type GroupSuffixes = Pick<Platform, 'api' | 'publicApi'>

/** The other name that a group of the platform may have; undefined for any other group. */
export function otherGroupName(
  group: string,
  { api, publicApi }: GroupSuffixes,
): string | undefined {
  if (publicApi === undefined) return undefined
  for (const [from, to] of [
    [api, publicApi],
    [publicApi, api],
  ] as const) {
    if (group.endsWith(`.${from}`)) return `${group.slice(0, -from.length)}${to}`
  }
  return undefined
}

/**
 * A client whose requests name groups as the server does, and what is in `publicNames` beside them. The server is asked once, before
 * the first request for which it matters.
 */
export function withPlatformNames(
  client: RestClient,
  suffixes: GroupSuffixes,
  publicNames?: PublicNames,
): RestClient {
  const { api, publicApi } = suffixes
  if (publicApi === undefined || publicApi === api) return client
  const names = new ServerNames(client, [api, publicApi], publicNames)
  return {
    async send(request) {
      if (!names.isKnown(request)) await names.learn(request)
      return names.toCaller(request, await client.send(names.toServer(request)))
    },
    async *stream(request) {
      if (!names.isKnown(request)) await names.learn(request)
      for await (const event of client.stream(names.toServer(request))) {
        if (!isObject(event)) yield event
        else {
          const object = names.toCaller(request, event.object)
          yield object === event.object ? event : { ...event, object }
        }
      }
    },
  }
}

/** What a server calls the groups of the kinds that were asked for, and names inside of objects. */
class ServerNames {
  readonly #client: RestClient
  readonly #suffixes: readonly [string, string]
  readonly #publicNames: PublicNames | undefined
  /** What the server has said about names inside of objects: undefined before it was asked. */
  #inside: Inside | undefined
  #asked: Promise<ReadonlySet<string> | undefined> | undefined
  readonly #known = new Set<string>()
  /** Groups that the server calls otherwise, in both directions. */
  readonly #byOwn = new Map<string, string>()
  readonly #byServer = new Map<string, string>()

  constructor(
    client: RestClient,
    suffixes: readonly [string, string],
    publicNames: PublicNames | undefined,
  ) {
    this.#client = client
    this.#suffixes = suffixes
    this.#publicNames = publicNames
    const { keys = {}, groups = {} } = publicNames ?? {}
    if (Object.keys({ ...keys, ...groups }).length === 0) this.#inside = asTheyAre
  }

  /** True if who sent the request calls its kind as the server does, by a name that is not the platform's. */
  #isServers({ subject }: RestRequest): boolean {
    return this.#byServer.has(subject?.kind.group ?? '')
  }

  /** True if nothing has to be asked before this request. */
  isKnown({ subject }: RestRequest): boolean {
    if (this.#inside === undefined) return false
    const group = subject?.kind.group ?? ''
    return (
      this.#known.has(group) || this.#byServer.has(group) || this.#otherName(group) === undefined
    )
  }

  /** Asks which names the server has. One that does not tell is taken to have the kind's own. */
  async learn({ subject, signal }: RestRequest): Promise<void> {
    const group = subject?.kind.group ?? ''
    const other = this.#otherName(group)
    const served = await this.#servedGroups(signal)
    this.#inside ??= insideOf(served, this.#publicNames)
    if (other === undefined || served === undefined) return
    if (served.has(group)) this.#known.add(group)
    else if (served.has(other)) {
      this.#known.add(group)
      this.#byOwn.set(group, other)
      this.#byServer.set(other, group)
    }
  }

  toServer<R extends RestRequest>(request: R): R {
    const names = this.#namesFor(request)?.toServer
    if (this.#byOwn.size === 0 && names === undefined) return request
    const group = request.subject?.kind.group ?? ''
    const name = this.#byOwn.get(group)
    const path =
      name === undefined ? request.path : request.path.replace(`/apis/${group}/`, `/apis/${name}/`)
    const { body } = request
    const called = isObject(body) ? withGroupNames(body, this.#byOwn) : body
    return {
      ...request,
      path: names === undefined ? path : withSelectors(path, names),
      ...(called !== undefined && {
        body: names === undefined ? called : withNames(called, names),
      }),
    }
  }

  toCaller(request: RestRequest, value: unknown): unknown {
    if (!isObject(value)) return value
    const names = this.#namesFor(request)?.toCaller
    const inside = (names === undefined ? value : renamed(value, names)) as JsonObject
    if (this.#byOwn.size === 0 || this.#isServers(request)) return inside
    const { items } = inside
    const whole = withGroupNames(inside, this.#byServer)
    if (!Array.isArray(items)) return whole
    return {
      ...whole,
      items: items.map((item) => (isObject(item) ? withGroupNames(item, this.#byServer) : item)),
    }
  }

  /** Groups inside of objects stay as the server has them where the kind is called as the server calls it. */
  #namesFor(request: RestRequest): BothWays | undefined {
    return this.#isServers(request) ? this.#inside?.keys : this.#inside?.all
  }

  #otherName(group: string): string | undefined {
    const [api, publicApi] = this.#suffixes
    return otherGroupName(group, { api, publicApi })
  }

  /** Many requests that wait for the answer ask once. */
  async #servedGroups(signal: AbortSignal | undefined): Promise<ReadonlySet<string> | undefined> {
    const before = this.#asked
    if (before !== undefined) {
      const answer = await settled(before, signal)
      if (answer !== 'failed') return answer
    }
    const asked = this.#ask(signal).finally(() => {
      if (this.#asked === asked) this.#asked = undefined
    })
    this.#asked = asked
    return asked
  }

  async #ask(signal: AbortSignal | undefined): Promise<ReadonlySet<string> | undefined> {
    try {
      const request = { method: 'GET', path: '/apis', ...(signal && { signal }) } as const
      const list = (await this.#client.send(request)) as JsonObject
      const groups = Array.isArray(list.groups) ? list.groups : []
      return new Set(groups.map((group) => String(isObject(group) ? group.name : '')))
    } catch (error) {
      if (isStatus(error, 'Forbidden') || isStatus(error, 'NotFound')) return undefined
      throw error
    }
  }
}

/** Names inside of objects in both directions. */
export interface BothWays {
  readonly toServer: Renames
  readonly toCaller: Renames
}

/** Names inside of objects; absent where the server has those of the caller. */
interface Inside {
  readonly keys?: BothWays
  /** With the groups of kinds. */
  readonly all?: BothWays
}

const asTheyAre: Inside = {}

/** A server has the public names if it serves groups by them, and none of the platform's by its own name. */
function insideOf(
  served: ReadonlySet<string> | undefined,
  publicNames: PublicNames | undefined,
): Inside {
  if (served === undefined || publicNames === undefined) return asTheyAre
  const { keys, groups } = publicNames
  const isOwn = Object.keys(groups).some((group) => served.has(group))
  if (isOwn || !Object.values(groups).some((group) => served.has(group))) return asTheyAre
  return { keys: bothWays(keys), all: bothWays({ ...keys, ...groups }) }
}

/** The names that an object of a server has whose reviews are of `group`: `admission.k8s.io`. Undefined where they are the platform's own. */
export function namesOfReviews(
  group: string,
  { api, publicApi }: GroupSuffixes,
  { keys, groups }: PublicNames,
): BothWays | undefined {
  const isPublic = publicApi !== undefined && publicApi !== api && group.endsWith(`.${publicApi}`)
  return isPublic ? bothWays({ ...keys, ...groups }) : undefined
}

function bothWays(names: Readonly<Record<string, string>>): BothWays {
  const all = Object.entries(names)
  return { toServer: new Map(all), toCaller: new Map(all.map(([own, other]) => [other, own])) }
}

function withNames(body: unknown, names: Renames): unknown {
  return Array.isArray(body) ? renamedPatch(body, names) : renamed(body, names)
}

/** A path whose selectors have other names. */
function withSelectors(path: string, names: Renames): string {
  const at = path.indexOf('?')
  if (at < 0 || !path.includes('Selector=', at)) return path
  const query = new URLSearchParams(path.slice(at + 1))
  for (const key of ['labelSelector', 'fieldSelector']) {
    const text = query.get(key)
    if (text !== null) query.set(key, renamedSelector(text, names))
  }
  return `${path.slice(0, at)}?${query}`
}

/** What a promise resolves to; `failed` if it rejects, or the signal aborts before. */
function settled<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T | 'failed'> {
  return new Promise((resolve) => {
    const release = signal && onAbort(signal, () => resolve('failed'))
    const end = (value: T | 'failed') => {
      release?.()
      resolve(value)
    }
    promise.then(end, () => end('failed'))
  })
}

/** An object with other groups in its apiVersion and its owner references; `names` are the new ones by the old ones. */
export function withGroupNames(object: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  const { apiVersion, metadata } = object
  const version = otherVersion(apiVersion, names)
  const owners = isObject(metadata) ? metadata.ownerReferences : undefined
  const references = Array.isArray(owners) ? renamedOwners(owners, names) : undefined
  if (version === undefined && references === undefined) return object
  const changed = {
    ...object,
    ...(version !== undefined && { apiVersion: version }),
    ...(references &&
      isObject(metadata) && { metadata: { ...metadata, ownerReferences: references } }),
  }
  return changed as JsonObject
}

/** Owner references with other groups; undefined if none changes. */
function renamedOwners(owners: readonly unknown[], names: ReadonlyMap<string, string>) {
  const versions = owners.map((owner) => isObject(owner) && otherVersion(owner.apiVersion, names))
  if (!versions.some(Boolean)) return undefined
  return owners.map((owner, at) =>
    versions[at] ? { ...(owner as JsonObject), apiVersion: versions[at] } : owner,
  )
}

function otherVersion(apiVersion: unknown, names: ReadonlyMap<string, string>): string | undefined {
  if (typeof apiVersion !== 'string') return undefined
  const [group = '', version] = apiVersion.split('/')
  const name = names.get(group)
  return name === undefined ? undefined : `${name}/${version}`
}
