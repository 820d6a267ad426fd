/**
 * One set of kinds for servers of both names: groups such as `coordination.<api>` are requested as the server calls them.
 * Callers always see the names of their kinds: in `apiVersion`, and in owner references.
 */

import type { Platform } from '../kernel/descriptors/platform.ts'
import { isStatus } from '../kernel/errors/status-error.ts'
import { isObject, type JsonObject } from '../kernel/values/json.ts'
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

/** A client whose requests name groups as the server does. It is asked once, before the first request for such a group. */
export function withPlatformNames(client: RestClient, suffixes: GroupSuffixes): RestClient {
  const { api, publicApi } = suffixes
  if (publicApi === undefined || publicApi === api) return client
  const names = new GroupNames(client, [api, publicApi])
  return {
    async send(request) {
      if (!names.isKnown(request)) await names.learn(request)
      const answer = await client.send(names.toServer(request))
      return names.isCallers(request) ? answer : names.toCaller(answer)
    },
    async *stream(request) {
      if (!names.isKnown(request)) await names.learn(request)
      for await (const event of client.stream(names.toServer(request))) {
        yield names.isCallers(request) || !isObject(event)
          ? event
          : { ...event, object: names.toCaller(event.object) }
      }
    },
  }
}

/** What a server calls the groups of the kinds that were asked for. */
class GroupNames {
  readonly #client: RestClient
  readonly #suffixes: readonly [string, string]
  readonly #known = new Set<string>()
  /** Groups that the server calls otherwise, in both directions. */
  readonly #byOwn = new Map<string, string>()
  readonly #byServer = new Map<string, string>()

  constructor(client: RestClient, suffixes: readonly [string, string]) {
    this.#client = client
    this.#suffixes = suffixes
  }

  /** True if the server has every name that was asked for. */
  get areEqual(): boolean {
    return this.#byOwn.size === 0
  }

  /** True if the server's names are those of who sent the request: they are equal, or it calls its kind as the server does. */
  isCallers({ subject }: RestRequest): boolean {
    return this.areEqual || this.#byServer.has(subject?.kind.group ?? '')
  }

  /** True if nothing has to be asked before this request. */
  isKnown({ subject }: RestRequest): boolean {
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
    if (other === undefined || served === undefined) return
    if (served.has(group)) this.#known.add(group)
    else if (served.has(other)) {
      this.#known.add(group)
      this.#byOwn.set(group, other)
      this.#byServer.set(other, group)
    }
  }

  toServer<R extends RestRequest>(request: R): R {
    if (this.areEqual) return request
    const group = request.subject?.kind.group ?? ''
    const name = this.#byOwn.get(group)
    const path =
      name === undefined ? request.path : request.path.replace(`/apis/${group}/`, `/apis/${name}/`)
    return {
      ...request,
      path,
      ...(isObject(request.body) && { body: withGroupNames(request.body, this.#byOwn) }),
    }
  }

  toCaller(value: unknown): unknown {
    if (!isObject(value)) return value
    const { items } = value
    const whole = withGroupNames(value, this.#byServer)
    if (!Array.isArray(items)) return whole
    return {
      ...whole,
      items: items.map((item) => (isObject(item) ? withGroupNames(item, this.#byServer) : item)),
    }
  }

  #otherName(group: string): string | undefined {
    const [api, publicApi] = this.#suffixes
    return otherGroupName(group, { api, publicApi })
  }

  async #servedGroups(signal: AbortSignal | undefined): Promise<ReadonlySet<string> | undefined> {
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
