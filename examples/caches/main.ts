import {
  connect,
  createLogger,
  createManager,
  operatorMetrics,
  serveOperator,
  serveWebhooks,
} from 'orch'
import { cacheController } from './controller.ts'
import { scheme } from './generated/scheme.ts'
import { cacheWebhook } from './webhook.ts'

const {
  POD_NAMESPACE: namespace = 'cache-operator',
  HEALTH_PORT: healthPort = '8081',
  WEBHOOK_PORT: webhookPort = '9443',
} = process.env

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

const log = await createLogger({ level: 'info', write: (line) => process.stdout.write(line) })
const metrics = await operatorMetrics()
const client = await connect(process.argv[2], { manager: 'cache-operator', metrics })
const webhooks = await serveWebhooks({
  ...{ client, scheme, namespace, log, metrics },
  name: 'cache-operator',
  webhooks: [cacheWebhook],
  listen: { port: Number(webhookPort) },
})
const manager = createManager({
  ...{ client, log, metrics },
  controllers: [cacheController],
  leaderElection: { name: 'cache-operator', namespace },
})
const probes = await serveOperator({ manager, metrics, log, port: Number(healthPort) })

manager.ready.then(() => log.info('operator is ready', { webhook: webhooks.port }))
await manager.run(stop.signal)
await Promise.all([webhooks.close(), probes.stop()])
await client.close()
