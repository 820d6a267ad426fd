/** Which servers of a shared store are there. */
import type { Clock } from '../../kernel/async/clock.ts'
import type { ServerEndpoint, ServerEntry, ServerTable } from '../../registry/registry.ts'

/** Between two renewals of the own entry. */
export const renewMs = 10_000

/** How long an entry counts that is not renewed. */
const silentMs = 30_000

/** What a server has seen of an entry. */
export interface SeenServer {
  readonly revision: number
  /** Since when it has been at this revision, by the clock of who looks: clocks of several machines are never compared. */
  readonly since: number
}

/** What an entry says to who looks at it. */
export interface ServersDecision {
  readonly present: readonly ServerEndpoint[]
  /** Entries of servers that are gone. */
  readonly gone: readonly ServerEntry[]
  readonly seen: ReadonlyMap<string, SeenServer>
}

/** Tells servers that are there, in the order of their keys, from those that have been silent for too long. */
export function decideServers(
  entries: readonly ServerEntry[],
  before: ReadonlyMap<string, SeenServer>,
  now: number,
): ServersDecision {
  const seen = new Map(
    entries.map(({ key, revision }) => {
      const known = before.get(key)
      return [key, known?.revision === revision ? known : { revision, since: now }] as const
    }),
  )
  const isGone = ({ key }: ServerEntry): boolean => now - (seen.get(key)?.since ?? now) >= silentMs
  return {
    present: entries.filter((entry) => !isGone(entry)).map(({ endpoint }) => endpoint),
    gone: entries.filter(isGone),
    seen,
  }
}

/** The servers of a store, as one of them sees them. */
export class ServerPresence {
  readonly #table: ServerTable
  readonly #own: ServerEndpoint
  readonly #clock: Clock
  #seen: ReadonlyMap<string, SeenServer> = new Map()
  #renewedAt = Number.NEGATIVE_INFINITY
  #left = false

  constructor(table: ServerTable, own: ServerEndpoint, clock: Clock) {
    this.#table = table
    this.#own = own
    this.#clock = clock
  }

  /** The endpoints of the servers that are there, this one among them, which is renewed where that is due. */
  async endpoints(): Promise<readonly ServerEndpoint[]> {
    const now = this.#clock.monotonic()
    if (!this.#left && now - this.#renewedAt >= renewMs) {
      await this.#table.renew(this.#own)
      this.#renewedAt = now
    }
    const { present, gone, seen } = decideServers(await this.#table.list(), this.#seen, now)
    this.#seen = seen
    await Promise.all(gone.map((entry) => this.#table.remove(entry)))
    return present
  }

  /** Takes this server out. */
  async leave(): Promise<void> {
    this.#left = true
    const key = this.#table.keyOf(this.#own)
    const own = (await this.#table.list()).find((entry) => entry.key === key)
    if (own !== undefined) await this.#table.remove(own)
  }
}
