import { connect, createLogger, createManager, operatorMetrics, serveOperator } from 'orch'
import { sampleKindController } from './controller.ts'

// In a cluster the Deployment of `orch package` sets these; elsewhere the operator needs no lease, and any free port does.
const { POD_NAMESPACE: namespace, HEALTH_PORT: healthPort = '0' } = process.env

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

const log = await createLogger({ level: 'info', write: (line) => process.stdout.write(line) })
const metrics = await operatorMetrics()
const client = await connect(undefined, { manager: 'sample-operator', metrics })
const manager = createManager({
  ...{ client, log, metrics },
  controllers: [sampleKindController],
  ...(namespace !== undefined && { leaderElection: { name: 'sample-operator', namespace } }),
})
const probes = await serveOperator({ manager, metrics, log, port: Number(healthPort) })

manager.ready.then(() => log.info('operator is ready', { probes: probes.url }))
await manager.run(stop.signal)
await probes.stop()
await client.close()
