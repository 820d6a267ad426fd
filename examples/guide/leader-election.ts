import {
  type Client,
  connect,
  createLogger,
  createManager,
  defineController,
  done,
  type Log,
  type Manager,
} from 'orch'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'

/** A system that is no part of the cluster. It refuses a token that is older than one it has seen. */
export class Inventory {
  #newest = 0

  async put(_name: string, _value: string, { token }: { token: number }): Promise<void> {
    if (token < this.#newest) throw new Error(`token ${token} is older than ${this.#newest}`)
    this.#newest = token
  }
}

/** Writes ConfigMaps down in an inventory, and stamps each one with the process that did so, and that process's term. */
export const stamping = (holder: string, inventory = new Inventory()) =>
  defineController({
    name: 'stamp',
    for: configMaps,
    async reconcile(map, { client, term }) {
      if (map.data?.wanted === undefined || map.data.seen === map.data.wanted) return done
      const { name, namespace } = map.metadata
      term?.assertHeld()
      await inventory.put(`${namespace}/${name}`, map.data.wanted, { token: term?.token ?? 0 })
      const data = { seen: map.data.wanted, holder, token: String(term?.token) }
      await client.resource(configMaps).mergePatch(map.metadata, { data })
      return done
    },
  })

/** A manager that works while it holds the lease of the stamp operator. It is shorter than by default: a takeover can be watched. */
export function electing(client: Client, holder: string, log: Log): Manager {
  const lease = { leaseMs: 3000, renewDeadlineMs: 2000, retryMs: 500 }
  return createManager({
    client,
    controllers: [stamping(holder)],
    log,
    leaderElection: { name: 'stamp-operator', identity: holder, ...lease },
  })
}

const [orchconfig, holder] = process.argv.slice(2)
if (orchconfig === undefined || holder === undefined) {
  throw new Error('usage: node leader-election.js ORCHCONFIG NAME')
}

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

const log = await createLogger({ level: 'info', write: (line) => process.stdout.write(line) })
const client = await connect(orchconfig, { manager: 'stamp-operator' })
await electing(client, holder, log).run(stop.signal)
await client.close()
