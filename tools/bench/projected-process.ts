/** An operator that looks at one field of many large objects. Its first word is an orchconfig file; it tells how many it has cached and what that takes, and ends. */
import { connect, createManager, defineController, done, watching } from 'orch'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { secrets } from 'orch/generated/apis/core/v1/secret'

const [orchconfig = ''] = process.argv.slice(2)
const client = await connect(orchconfig, { manager: 'bench-operator' })
const stop = new AbortController()
const key = { namespace: 'default', name: 'types' }
const controller = defineController({
  name: 'types',
  for: configMaps,
  watches: [watching(secrets, () => [key], { fields: ['type'] })],
  async reconcile(_, { cached }) {
    globalThis.gc?.()
    const { heapUsed: heapBytes } = process.memoryUsage()
    const peakBytes = process.resourceUsage().maxRSS * 1024
    process.send?.({ cached: cached(secrets).size, heapBytes, peakBytes })
    stop.abort()
    return done
  },
})
await createManager({ client, controllers: [controller] }).run(stop.signal)
await client.close()
