import { connect, createLogger, createManager } from 'orch'
import { sampleKindController } from './controller.ts'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

const log = await createLogger({ level: 'info', write: (line) => process.stdout.write(line) })
const client = await connect(undefined, { manager: 'sample-operator' })
const manager = createManager({ client, controllers: [sampleKindController], log })

manager.ready.then(() => log.info('operator is ready'))
await manager.run(stop.signal)
await client.close()
