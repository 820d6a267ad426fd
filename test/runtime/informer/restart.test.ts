// What an informer makes of a server that goes away and comes back.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ConfigMap, configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { scheme } from '../../../generated/scheme.ts'
import {
  type RunningApiServer,
  type StoreLocation,
  startApiServer,
} from '../../../runtime/apiserver/apiserver.ts'
import { createClient, httpTransport, type Resource } from '../../../runtime/client/client.ts'
import { createInformer } from '../../../runtime/informer/informer.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/informer: restarts')

function start(storage: StoreLocation, port: number): Promise<RunningApiServer> {
  const listen = { host: '127.0.0.1', port }
  return startApiServer({ scheme, storage, listen, clock: systemClock, log: silentLog })
}

/** Follows a server over a restart; `meanwhile` says what the cache has to come to. */
async function restarted(
  storage: StoreLocation,
  after: (maps: Resource<ConfigMap>) => Promise<string>,
): Promise<void> {
  const first = await start(storage, 0)
  const client = createClient(httpTransport({ server: first.url }))
  const maps = client.resource(configMaps)
  const informer = createInformer(maps, { random: () => 0 })
  const stop = new AbortController()
  const run = informer.run(stop.signal)
  const names = () =>
    informer.cache
      .list()
      .map(({ metadata }) => metadata.name)
      .sort()
      .join()
  for (const name of ['a', 'b', 'c']) await maps.create({ metadata: { name } })
  await until('three', () => names() === 'a,b,c')
  await first.stop()

  const second = await start(storage, Number(new URL(first.url).port))
  const wanted = await after(maps)
  await until(wanted, () => names() === wanted).catch((error) => {
    assert.is(names(), wanted, error.message)
  })
  stop.abort()
  await run
  await client.close()
  await second.stop()
}

test('a server that kept its objects is followed on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'informer-'))
  await restarted({ kind: 'sqlite', file: join(folder, 'store.db') }, async (maps) => {
    await maps.delete('b')
    await maps.create({ metadata: { name: 'd' } })
    return 'a,c,d'
  })
  await rm(folder, { recursive: true })
})

test('a server that lost its objects is taken as it is', async () => {
  await restarted({ kind: 'memory' }, async (maps) => {
    await maps.create({ metadata: { name: 'x' } })
    return 'x'
  })
})

test.run()
