/** What a scenario does to a server: requests as a user sends them, and waiting for what follows. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Any object of the API. */
export interface Any {
  readonly kind?: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid?: string
    readonly generateName?: string
    readonly deletionTimestamp?: string
    readonly finalizers?: readonly string[]
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly resourceVersion?: string
  }
  // biome-ignore lint/suspicious/noExplicitAny: scenarios read fields of every kind
  readonly [field: string]: any
}

/** Resources without namespaces that scenarios write. */
const clusterScoped = new Set([
  ...['nodes', 'namespaces', 'persistentvolumes', 'storageclasses', 'clusterroles', 'csinodes'],
  ...['certificatesigningrequests', 'servicecidrs', 'ipaddresses', 'resourceclasses', 'csidrivers'],
  ...['volumeattachments', 'customresourcedefinitions', 'validatingadmissionpolicies'],
  ...['priorityclasses', 'storageversions'],
])

/** How long what follows is waited for. */
const patienceMs = 60_000

/** How long nothing is written in a namespace where controllers are done, unless said otherwise, and how long that is waited for. */
const quietMs = 800
const unrestMs = 30_000

/** How soon is looked again at first, and how often later. */
const firstLookMs = 10
const lookMs = 150

/** A server, seen from one namespace. Resources are named like `apps/v1/deployments`, a subresource follows the name of an object. */
export class Cluster {
  readonly #url: string
  /** Also what the names of objects without namespace begin with. */
  readonly namespace: string
  /** What was waited for in vain. */
  readonly missed: string[]
  readonly #lastWrite: (namespace: string) => number

  /** `lastWrite` says when something was last written in a namespace, in milliseconds since 1970; without it nothing ever settles. */
  constructor(
    url: string,
    namespace: string,
    missed: string[] = [],
    lastWrite: (namespace: string) => number = Date.now,
  ) {
    this.#url = url
    this.namespace = namespace
    this.missed = missed
    this.#lastWrite = lastWrite
  }

  /** The same server from another namespace. */
  in(namespace: string): Cluster {
    return new Cluster(this.#url, namespace, this.missed, this.#lastWrite)
  }

  /** The object as it was made. */
  create(resource: string, object: object, sub = ''): Promise<Any> {
    return this.#send('POST', this.#path(resource, sub), object)
  }

  get(resource: string, name: string): Promise<Any> {
    return this.#send('GET', this.#path(resource, name))
  }

  /** Undefined where there is none. */
  async find(resource: string, name: string): Promise<Any | undefined> {
    return (await this.list(resource)).find(({ metadata }) => metadata.name === name)
  }

  async list(resource: string): Promise<readonly Any[]> {
    const { items } = (await this.#send('GET', this.#path(resource))) as unknown as { items: Any[] }
    return items
  }

  /** A merge patch; the name may end in a subresource. */
  patch(resource: string, name: string, patch: object): Promise<Any> {
    return this.#send('PATCH', this.#path(resource, name), patch, 'application/merge-patch+json')
  }

  /** A merge patch of the status. */
  status(resource: string, name: string, status: object): Promise<Any> {
    return this.patch(resource, `${name}/status`, { status })
  }

  update(resource: string, name: string, object: object): Promise<Any> {
    return this.#send('PUT', this.#path(resource, name), object)
  }

  delete(resource: string, name: string, options: object = {}): Promise<Any> {
    return this.#send('DELETE', this.#path(resource, name), options)
  }

  /** Waits until the answer is true; what does not come is noted and not waited for any longer. */
  async until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const end = Date.now() + patienceMs
    for (let waitMs = firstLookMs; Date.now() < end; waitMs = Math.min(1.5 * waitMs, lookMs)) {
      if (await holds().catch(() => false)) return
      await sleep(waitMs)
    }
    this.missed.push(`${this.namespace}: ${what}`)
  }

  /** Waits until an object is as asked. */
  has(resource: string, name: string, is: (object: Any) => boolean): Promise<void> {
    return this.until(`${resource} ${name}`, async () => is(await this.get(resource, name)))
  }

  /** Waits until so many objects are as asked. */
  count(
    resource: string,
    number: number,
    is: (object: Any) => boolean = () => true,
  ): Promise<void> {
    return this.until(
      `${number} ${resource}`,
      async () => (await this.list(resource)).filter(is).length === number,
    )
  }

  /** Waits until an object is gone. */
  gone(resource: string, name: string): Promise<void> {
    return this.until(
      `${resource} ${name} gone`,
      async () => (await this.find(resource, name)) === undefined,
    )
  }

  /** Waits until nothing was written in the namespace for so long, and nodes owe no pod anything; one that finds no rest is noted and not waited for any longer. */
  async settled(ms = quietMs): Promise<void> {
    const end = Date.now() + unrestMs
    for (let left = ms; left > 0; ) {
      await sleep(Math.max(left, lookMs))
      left = this.#lastWrite(this.namespace) + ms - Date.now()
      if (left <= 0 && (await this.#waitsForNode())) left = lookMs
      if (left > 0 && Date.now() > end) {
        this.missed.push(`${this.namespace}: rest`)
        return
      }
    }
  }

  /** True if a node has not done yet what it is to do for a pod. */
  async #waitsForNode(): Promise<boolean> {
    return (await this.list('v1/pods')).some(({ metadata, status }) => {
      const { annotations = {}, deletionTimestamp, finalizers = [] } = metadata
      if (deletionTimestamp !== undefined)
        return finalizers.length === 0 && annotations['agent-holds'] === undefined
      return status.phase === 'Pending' && annotations.agent !== 'pending'
    })
  }

  #path(resource: string, rest = ''): string {
    const [group = '', version, plural = ''] =
      resource.split('/').length === 2 ? ['', ...resource.split('/')] : resource.split('/')
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
    const scope = clusterScoped.has(plural) ? '' : `/namespaces/${this.namespace}`
    return `${root}${scope}/${plural}${rest === '' ? '' : `/${rest}`}`
  }

  async #send(
    method: string,
    path: string,
    body?: object,
    type = 'application/json',
  ): Promise<Any> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: { 'content-type': type, 'user-agent': 'scenario' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as Any & { message?: string }
    if (!response.ok)
      throw new Error(`${method} ${path}: ${JSON.stringify(answer.message ?? answer)}`)
    return answer
  }
}
