import type { Client, Key } from '../../client/client.ts'

/** One of the clusters that a manager works with. */
export interface Cluster {
  /** Names it in logs, metrics and reports; empty where a manager works with one cluster only. */
  readonly name: string
  readonly client: Client
  /** The key of an object of this cluster, where a watch of another one wakes it. */
  key(key: Key): ClusterKey
}

/** A key of one cluster. A key without a cluster is one of the cluster in which it was said. */
export interface ClusterKey extends Key {
  readonly cluster: Cluster
}

/** Clusters that a manager works with, which may come and go. */
export interface Clusters<Name extends string = string> {
  /** Those that are there from the start, by name. */
  readonly named: Readonly<Record<Name, Cluster>>
  /** Those that are there now. */
  readonly all: readonly Cluster[]
  /**
   * Adds a cluster until `gone` aborts: controllers begin there when its caches are filled, and end with the signal. Its client is not
   * closed.
   *
   * @throws RangeError for the name of another one.
   */
  add(name: string, client: Client, gone: AbortSignal): Cluster
  /** Calls `joined` with each cluster that is there, and each one that comes, until the returned function is called. */
  follow(joined: (cluster: Cluster, gone: AbortSignal) => void): () => void
}

/**
 * The clusters of a manager, each with its client.
 *
 * @example
 * const clusters = createClusters({ east: await connect('east.yaml'), west: await connect('west.yaml') })
 * const manager = createManager({ clusters, controllers: [websiteController] })
 */
export function createClusters<const Name extends string>(
  clients: Readonly<Record<Name, Client>>,
): Clusters<Name> {
  const present = new Map<Cluster, AbortSignal>()
  const followers = new Set<(cluster: Cluster, gone: AbortSignal) => void>()
  const never = new AbortController().signal
  const add = (name: string, client: Client, gone: AbortSignal): Cluster => {
    if (!/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/.test(name)) {
      throw new RangeError(
        `cluster ${JSON.stringify(name)}: a name is 1 to 63 lower-case letters, digits, hyphens and dots`,
      )
    }
    if ([...present.keys()].some((one) => one.name === name)) {
      throw new RangeError(`cluster ${name}: there is another one of this name`)
    }
    const cluster = createCluster(name, client)
    if (gone.aborted) return cluster
    present.set(cluster, gone)
    gone.addEventListener('abort', () => present.delete(cluster), { once: true })
    for (const joined of followers) joined(cluster, gone)
    return cluster
  }
  const named = Object.fromEntries(
    Object.entries<Client>(clients).map(([name, client]) => [name, add(name, client, never)]),
  ) as Record<Name, Cluster>
  return {
    named,
    add,
    get all() {
      return [...present.keys()]
    },
    follow(joined) {
      followers.add(joined)
      for (const [cluster, gone] of [...present]) joined(cluster, gone)
      return () => followers.delete(joined)
    },
  }
}

/** A cluster by its client. */
export function createCluster(name: string, client: Client): Cluster {
  const cluster: Cluster = { name, client, key: (key) => ({ ...key, cluster }) }
  return cluster
}
