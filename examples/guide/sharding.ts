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

/** Stamps ConfigMaps with the process that worked on them, and the term in which it had their shard. */
export const stamping = (member: string) =>
  defineController({
    name: 'stamp',
    for: configMaps,
    async reconcile(map, { client, term }) {
      if (map.data?.wanted === undefined || map.data.seen === map.data.wanted) return done
      const data = { seen: map.data.wanted, member, token: String(term?.token) }
      await client.resource(configMaps).mergePatch(map.metadata, { data })
      return done
    },
  })

/** A manager that works on its part of the keys. Its leases are shorter than by default: a takeover can be watched. */
export function sharing(client: Client, member: string, log: Log): Manager {
  const lease = { leaseMs: 3000, renewDeadlineMs: 2000, retryMs: 500 }
  return createManager({
    client,
    controllers: [stamping(member)],
    log,
    drainMs: 2000,
    sharding: { name: 'stamp-operator', identity: member, shards: 16, ...lease },
  })
}

const [orchconfig, member] = process.argv.slice(2)
if (orchconfig === undefined || member === undefined) {
  throw new Error('usage: node sharding.js ORCHCONFIG NAME')
}

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

const log = await createLogger({ level: 'info', write: (line) => process.stdout.write(line) })
const client = await connect(orchconfig, { manager: 'stamp-operator' })
await sharing(client, member, log).run(stop.signal)
await client.close()
