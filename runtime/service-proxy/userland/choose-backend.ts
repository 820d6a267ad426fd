import type { Clock, Random } from '../../kernel/async/clock.ts'
import type { Backend, Frontend } from '../contract/plan.ts'

/** Chooses the backend of each client. */
export interface BackendChoice {
  /** The order in which backends are tried for a client; empty if there is none. */
  orderFor(client: string, frontend: Frontend): readonly Backend[]
  /** The client is with that backend now. */
  keep(client: string, frontend: Frontend, backend: Backend): void
}

/** Clients that are remembered at once; beyond, those that came longest ago are forgotten. */
const mostClients = 10_000

/** A choice that remembers clients for as long as the frontend says. */
export function backendChoice(clock: Clock, random: Random): BackendChoice {
  const known = new Map<string, { readonly backend: Backend; readonly at: number }>()
  return {
    orderFor(client, { backends, affinitySeconds }) {
      const first = Math.floor(random() * backends.length)
      const turned = [...backends.slice(first), ...backends.slice(0, first)]
      const last = affinitySeconds > 0 ? known.get(client) : undefined
      if (last === undefined || clock.monotonic() - last.at > affinitySeconds * 1000) return turned
      const again = turned.find((one) => isSame(one, last.backend))
      return again === undefined ? turned : [again, ...turned.filter((one) => one !== again)]
    },
    keep(client, { affinitySeconds }, backend) {
      if (affinitySeconds === 0) return
      known.delete(client)
      known.set(client, { backend, at: clock.monotonic() })
      const [oldest] = known.keys()
      if (known.size > mostClients && oldest !== undefined) known.delete(oldest)
    },
  }
}

/** True for the same place. */
export function isSame(one: Backend, other: Backend): boolean {
  return one.address === other.address && one.port === other.port
}
