import {
  connect,
  createLogger,
  createManager,
  operatorMetrics,
  serveConversion,
  serveOperator,
} from 'orch'
import { cacheController } from './controller.ts'
import { scheme } from './generated/scheme.ts'

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
const webhook = await serveConversion({
  ...{ client, scheme, namespace, log },
  name: 'cache-operator',
  listen: { port: Number(webhookPort) },
})
const manager = createManager({
  ...{ client, log, metrics },
  controllers: [cacheController],
  leaderElection: { name: 'cache-operator', namespace },
})
const probes = await serveOperator({ manager, metrics, log, port: Number(healthPort) })

manager.ready.then(() => log.info('operator is ready', { webhook: webhook.port }))
await manager.run(stop.signal)
await Promise.all([webhook.close(), probes.stop()])
await client.close()
