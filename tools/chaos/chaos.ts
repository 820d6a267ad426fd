/**
 * Three API servers on one PostgreSQL with a standby, while everything that can break breaks: servers and databases are killed, paused
 * silent and cut off, and their clocks are minutes apart. What clients were told is judged afterwards.
 */
import { pause, systemClock } from '../../runtime/kernel/async/clock.ts'
import { type Postgres, startPostgres } from '../postgres.ts'
import { ApiServerProcess } from './api-server.ts'
import {
  follow,
  listAll,
  makeServices,
  readAndWrite,
  seekLease,
  servicesOf,
  Witness,
} from './clients.ts'
import {
  judgeHistory,
  judgeLeaders,
  judgeLists,
  judgeUnique,
  judgeWatches,
  type LogRow,
} from './history.ts'

/** How long a run is. */
export interface ChaosOptions {
  /** How many faults there are, one after the other. */
  readonly faults: number
  /** Milliseconds between two faults. */
  readonly restMs: number
  /** Hears of each fault. */
  readonly onFault?: (text: string) => void
}

/** What became of a run. */
export interface ChaosReport {
  /** What should never have happened. */
  readonly problems: readonly string[]
  readonly reads: number
  readonly lists: number
  readonly acknowledged: number
  /** Writes of which it is open whether they took effect. */
  readonly open: number
  readonly failures: number
  readonly events: number
  readonly expired: number
  readonly services: number
  readonly terms: number
  readonly seconds: number
}

const schema = 'chaos'
const clockOffsetsMs = [0, 120_000, -120_000]
const writers = 6

/** Runs chaos, and judges it. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const began = performance.now()
  const database = new Databases(await startPostgres())
  await database.follow()
  const servers = await startServers(database.url)
  const [stop, end] = [new AbortController(), new AbortController()]
  const { signal } = stop
  const witness = new Witness()
  const work = Promise.all([
    ...Array.from({ length: writers }, (_, at) => readAndWrite(`w${at}`, servers, witness, signal)),
    listAll(servers, witness, signal),
    makeServices('s', servers, 400, signal),
    makeServices('t', [...servers].reverse(), 400, signal),
    ...servers.map((server, at) => seekLease(server, clockOffsetsMs[at] ?? 0, witness, signal)),
  ])
  const watches = Promise.all(servers.map((server) => follow(server, witness, end.signal)))
  try {
    for (let index = 0; index < options.faults; index++) {
      await pause(systemClock, options.restMs)
      await fault(index, servers, database, options.onFault)
      await database.collect()
    }
    await pause(systemClock, options.restMs)
    await ready(servers)
  } finally {
    stop.abort()
  }
  await work
  await database.collect()
  const silent = await whoIsSilent(servers, witness, database.log.at(-1)?.revision ?? 0)
  end.abort()
  await watches
  const { addresses, ports } = await servicesOf(servers[0] as ApiServerProcess)
  const ends = servers.flatMap((server) => server.ends)
  await Promise.all(servers.map((server) => server.stop()))
  await database.stop()
  const { log } = database
  const { operations, lists, segments, terms, failures, expired } = witness
  const writes = operations.filter(({ kind }) => kind === 'write')
  const acknowledged = writes.filter(({ revision }) => revision !== undefined).length
  return {
    problems: [
      ...judgeHistory(operations, log),
      ...judgeLists(lists, log),
      ...judgeWatches(segments, log),
      ...silent.map((name) => `the watch at ${name} does not tell what was written last`),
      ...judgeUnique('the address', addresses),
      ...judgeUnique('the port', ports),
      ...judgeLeaders(terms),
      ...ends.map((said) => `a server ended by itself: ${said}`),
    ],
    ...{
      reads: operations.length - writes.length,
      acknowledged,
      open: writes.length - acknowledged,
      lists: lists.length,
    },
    ...{ failures, expired, services: addresses.length, terms: terms.length },
    events: segments.reduce((sum, { events }) => sum + events.length, 0),
    seconds: (performance.now() - began) / 1000,
  }
}

async function startServers(url: string): Promise<readonly ApiServerProcess[]> {
  const servers: ApiServerProcess[] = []
  for (const [at, offset] of clockOffsetsMs.entries()) {
    servers.push(await ApiServerProcess.start(`server-${at}`, url, offset))
  }
  return servers
}

/** The servers whose watches do not come to the revision that was written last, however long they are given. */
async function whoIsSilent(
  servers: readonly ApiServerProcess[],
  { segments }: Witness,
  last: number,
): Promise<readonly string[]> {
  for (let left = 300; ; left--) {
    const silent = servers.filter(({ name }) => {
      const segment = segments.findLast(({ server }) => server === name)
      return (segment?.events.at(-1)?.revision ?? segment?.after ?? 0) < last
    })
    if (silent.length === 0 || left === 0) return silent.map(({ name }) => name)
    await pause(systemClock, 100)
  }
}

/** Resolves once every server is ready. */
async function ready(servers: readonly ApiServerProcess[]): Promise<void> {
  for (const { url, name } of servers) {
    for (let left = 300; ; left--) {
      const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) }).catch(
        () => undefined,
      )
      if (response?.status === 200) break
      if (left === 0) throw new Error(`${name} is not ready: ${await response?.text()}`)
      await pause(systemClock, 100)
    }
  }
}

/** One thing that breaks, and is whole again when this resolves, or by itself. */
async function fault(
  index: number,
  servers: readonly ApiServerProcess[],
  database: Databases,
  onFault: ChaosOptions['onFault'],
): Promise<void> {
  const server = servers[index % servers.length] as ApiServerProcess
  const faults: readonly (readonly [string, () => Promise<void> | void])[] = [
    [`kill -9 of ${server.name}`, () => server.kill()],
    ['every connection is cut', () => database.cut()],
    [
      `${server.name} is paused`,
      async () => {
        server.pause()
        await pause(systemClock, 2500)
        server.resume()
      },
    ],
    ['kill -9 of the database, which comes back', () => database.restart()],
    ['kill -9 of the database, whose standby takes over', () => database.failOver()],
    ['the database falls silent', () => database.freeze()],
  ]
  const [name, happen] = faults[index % faults.length] as (typeof faults)[number]
  onFault?.(name)
  await happen()
}

/** A primary and its standby, and what their log had. */
class Databases {
  readonly log: LogRow[] = []
  #primary: Postgres
  #standby: Postgres | undefined
  readonly #all: Postgres[] = []
  #collected = 0

  constructor(primary: Postgres) {
    this.#primary = primary
    this.#all.push(primary)
  }

  /** Gives the primary a standby. */
  async follow(): Promise<void> {
    this.#standby = await this.#primary.standby()
    this.#all.push(this.#standby)
  }

  /** Where servers find them, both those that are there and those that will take over. */
  get url(): string {
    const hosts = this.#all.map(({ folder }) => folder).join(',')
    return `postgres:///postgres?host=${encodeURIComponent(hosts)}&user=orch&schema=${schema}`
  }

  async cut(): Promise<void> {
    await this.#primary.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'orch'",
    )
  }

  /** For longer than a server waits for what it asks once a second. */
  async freeze(): Promise<void> {
    const goOn = this.#primary.freeze()
    await pause(systemClock, 7000)
    goOn()
  }

  async restart(): Promise<void> {
    await this.#primary.crash()
    await this.#primary.start()
  }

  /** The former primary becomes the standby of the one that took over. */
  async failOver(): Promise<void> {
    const [former, next] = [this.#primary, this.#standby]
    if (next === undefined) return
    await former.crash()
    await next.promote()
    this.#primary = next
    await former.followAnew(next)
    this.#standby = former
  }

  /** Remembers what was written since, once the standby has it, too: servers compact what is old. */
  async collect(): Promise<void> {
    await this.#primary.sql("SELECT pg_logical_emit_message(true, 'chaos', '')")
    const text = `SELECT rev || ' ' || split_part(key, '/', 5) || ' ' || (convert_from(coalesce(bytes, convert_to(value, 'UTF8')), 'UTF8')::json #>> '{data,v}')
      FROM ${schema}.log WHERE key LIKE '/core/configmaps/default/chaos-%' AND rev > ${this.#collected} ORDER BY rev`
    const lines = (await this.#primary.sql(text)).split('\n').filter((line) => line !== '')
    for (const line of lines) {
      const [revision = '', key = '', value = ''] = line.split(' ')
      this.log.push({ revision: Number(revision), key, value })
      this.#collected = Number(revision)
    }
  }

  async stop(): Promise<void> {
    for (const one of this.#all) await one.stop('immediate').catch(() => {})
  }
}
