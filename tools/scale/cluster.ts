/** A resource: what there is of it, and what is asked of it in a second. */
export interface Resource {
  readonly name: string
  readonly objects: number
  /** Bytes of one object. */
  readonly bytes: number
  readonly gets: number
  readonly pages: number
  readonly writes: number
}

/** Servers that keep the same resources in memory, and to which a balancer sends the requests for some. */
export interface ServerGroup {
  readonly name: string
  readonly servers: number
  readonly keeps: readonly string[]
  readonly serves: readonly string[]
}

/** What is simulated. */
export interface Cluster {
  readonly resources: readonly Resource[]
  readonly groups: readonly ServerGroup[]
  /** Processors of the database. */
  readonly databaseCores: number
}

const resources: readonly Resource[] = [
  { name: 'pods', objects: 300_000, bytes: 2500, gets: 900, pages: 4, writes: 300 },
  { name: 'nodes, leases', objects: 20_000, bytes: 1200, gets: 200, pages: 1, writes: 150 },
  { name: 'config', objects: 680_000, bytes: 700, gets: 600, pages: 4, writes: 20 },
  { name: 'events', objects: 1_000_000, bytes: 900, gets: 5, pages: 4, writes: 150 },
  { name: 'widgets', objects: 8_000_000, bytes: 500, gets: 400, pages: 10, writes: 100 },
]

const everything = resources.map(({ name }) => name)
const core = ['pods', 'nodes, leases']

/** Ten million objects: all kept by all, only what has to be kept, and by two groups of servers. */
export const plans: Readonly<Record<string, Cluster>> = {
  'all kept, 6 servers': {
    resources,
    databaseCores: 4,
    groups: [{ name: 'all', servers: 6, keeps: everything, serves: everything }],
  },
  'widgets, events uncached, 6 servers': {
    resources,
    databaseCores: 4,
    groups: [{ name: 'all', servers: 6, keeps: [...core, 'config'], serves: everything }],
  },
  'two groups, 3 and 3 servers': {
    resources,
    databaseCores: 4,
    groups: [
      { name: 'core', servers: 3, keeps: core, serves: core },
      {
        name: 'rest',
        servers: 3,
        keeps: [...core, 'config'],
        serves: ['config', 'events', 'widgets'],
      },
    ],
  },
}
