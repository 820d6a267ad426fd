import { connect, createLogger, createManager } from 'orch'
import { websiteController } from './controller.ts'

const orchconfig = process.argv[2] ?? process.env.ORCHCONFIG
if (orchconfig === undefined) throw new Error('usage: node main.js ORCHCONFIG')

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

const log = await createLogger({ level: 'info', write: (line) => process.stdout.write(line) })
const client = await connect(orchconfig, { manager: 'website-operator' })
const manager = createManager({ client, controllers: [websiteController], log })

manager.ready.then(() => log.info('operator is ready'))
await manager.run(stop.signal)
await client.close()
