import { connect, createLogger, createManager, serveConversion } from 'orch'
import { cacheController } from './controller.ts'
import { scheme } from './generated/scheme.ts'

const { POD_NAMESPACE: namespace = 'cache-operator', WEBHOOK_PORT: port = '9443' } = process.env

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

const log = await createLogger({ level: 'info', write: (line) => process.stdout.write(line) })
const client = await connect(process.argv[2], { manager: 'cache-operator' })
const webhook = await serveConversion({
  ...{ client, scheme, namespace, log },
  name: 'cache-operator',
  listen: { port: Number(port) },
})
const manager = createManager({ client, controllers: [cacheController], log })

manager.ready.then(() => log.info('operator is ready'))
await manager.run(stop.signal)
await webhook.close()
await client.close()
