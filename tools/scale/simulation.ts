import type { Cluster, Resource, ServerGroup } from './cluster.ts'
import type { Costs, Requests } from './costs.ts'
import { Station } from './station.ts'
import { Timeline } from './timeline.ts'

/** What the requests of a cluster meet. */
export interface Simulated {
  /** The busiest server of a group, as a share of a processor. */
  readonly busy: ReadonlyMap<string, number>
  readonly databaseBusy: number
  /** Milliseconds that half and 99 of 100 requests of a kind take, those for what is kept and for what is not. */
  readonly delays: ReadonlyMap<string, { readonly p50: number; readonly p99: number }>
}

type Verb = keyof Requests

/** A request on its way. */
interface Arrival {
  readonly at: number
  readonly resource: Resource
  readonly verb: Verb
  readonly group: ServerGroup
  readonly server: number
}

/**
 * Requests come at random, each to the next server of a group that serves its resource; a server has one processor and takes them in their order, a
 * read of what is not kept then waits for a processor of the database, and a write for its commit, after which every other server follows it.
 */
export function simulate(
  cluster: Cluster,
  costs: Costs,
  seconds: number,
  random: () => number,
): Simulated {
  const servers = new Map(
    cluster.groups.map((group) => [
      group.name,
      Array.from({ length: group.servers }, () => new Station(1)),
    ]),
  )
  const database = new Station(cluster.databaseCores)
  const delays = new Map<string, number[]>()
  const timeline = new Timeline()
  const answered = (kind: string, ms: number): void => {
    const known = delays.get(kind) ?? []
    known.push(ms)
    delays.set(kind, known)
  }
  const all = [...servers.values()].flat()
  for (const { at, resource, verb, group, server } of arrivals(cluster, seconds * 1000, random)) {
    const isKept = group.keeps.includes(resource.name)
    const kind = `${verb}, ${isKept ? 'kept' : 'not kept'}`
    const station = servers.get(group.name)?.[server] as Station
    const own = (isKept ? costs.kept : costs.uncached)[verb] * spread(random)
    const stored = costs.database[verb] * spread(random)
    const follow = (done: number) => {
      for (const other of all) if (other !== station) other.serve(done, costs.followed)
    }
    timeline.at(at, () => {
      const done = station.serve(at, own)
      if (isKept && verb !== 'write') return answered(kind, done - at)
      timeline.at(done, () => {
        const committed = database.serve(done, stored)
        answered(kind, committed - at)
        if (verb === 'write') timeline.at(committed, () => follow(committed))
      })
    })
  }
  timeline.run()
  const shares = (stations: readonly Station[]) =>
    Math.max(...stations.map((one) => one.busyMs / (seconds * 1000 * one.processors)))
  return {
    busy: new Map([...servers].map(([name, stations]) => [name, shares(stations)])),
    databaseBusy: shares([database]),
    delays: new Map([...delays].map(([kind, all]) => [kind, percentiles(all)])),
  }
}

/** What comes in so many milliseconds, in its order. */
function arrivals(
  { resources, groups }: Cluster,
  ms: number,
  random: () => number,
): readonly Arrival[] {
  const all: Arrival[] = []
  for (const resource of resources) {
    const group = groups.find(({ serves }) => serves.includes(resource.name)) as ServerGroup
    const rates = { get: resource.gets, page: resource.pages, write: resource.writes }
    for (const [verb, rate] of Object.entries(rates) as [Verb, number][]) {
      let turn = Math.floor(random() * group.servers)
      for (let at = pause(rate, random); at < ms; at += pause(rate, random)) {
        all.push({ at, resource, verb, group, server: turn++ % group.servers })
      }
    }
  }
  return all.sort((one, other) => one.at - other.at)
}

/** Milliseconds until the next of so many a second that come independently. */
function pause(rate: number, random: () => number): number {
  return (-Math.log(1 - random()) / rate) * 1000
}

/** What one request costs more or less than another: as much as twice, the mean is 1. */
function spread(random: () => number): number {
  return 0.5 + random()
}

function percentiles(values: readonly number[]): { readonly p50: number; readonly p99: number } {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}
