// Events of examples/guide/events.ts, as the server has them and as kubectl shows them.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createManager } from 'orch'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { events } from 'orch/generated/apis/core/v1/event'
import { startControlPlane } from 'orch/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { orderController } from '../../../examples/guide/events.ts'
import { compiledScheme } from '../../../tools/orch/compiled-scheme.ts'
import { defaultKubectl, kubectl } from '../../support/kubectl.ts'
import { until } from '../../support/until.ts'

const test = suite('examples/guide: events')

test('what a controller records is shown with its object', async () => {
  const platform = 'schemas/platform/kubernetes.yaml'
  const scheme = await compiledScheme({ platform }, console.error)
  assert.ok(scheme)
  await using plane = await startControlPlane({ ...(scheme && { scheme }), socket: true })
  const { client } = plane
  const controllers = [orderController]
  const manager = createManager({ client, controllers, namespace: 'default' })
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  const maps = client.resource(configMaps)
  await maps.create({ metadata: { name: 'menu' } })
  const recorded = (reason: string) =>
    until(reason, async () => {
      const { items } = await client.resource(events).in('default').listAll()
      return items.find((one) => one.reason === reason)
    })
  const empty = await recorded('EmptyMenu')
  assert.is(empty.type, 'Warning')
  assert.is(empty.involvedObject.name, 'menu')
  assert.is(empty.source?.component, 'orders')
  await maps.mergePatch('menu', { data: { soup: 'miso' } })
  await recorded('Ordered')
  await maps.mergePatch('menu', { metadata: { labels: { a: 'b' } } })
  await until('count', async () => ((await recorded('Ordered')).count ?? 0) >= 2)
  stop.abort()
  await running
  await shownByKubectl(plane.orchconfig ?? '')
})

async function shownByKubectl(orchconfig: string): Promise<void> {
  const binary = defaultKubectl()
  if (binary === undefined) return console.log('SKIP kubectl describe: there is no kubectl')
  const home = await mkdtemp(join(tmpdir(), 'events-'))
  await writeFile(join(home, 'config'), orchconfig)
  const cli = kubectl(binary, join(home, 'config'), home)
  const shown = await cli.ok('describe configmap menu')
  assert.match(shown, /Warning +EmptyMenu +\S+ +orders +Nothing is on the menu/)
  assert.match(shown, /Normal +Ordered +\S+ \(x\d+ over \S+\) +orders +Ordered what soup need\./)
  assert.match(await cli.ok('events --for configmap/menu'), /Warning +EmptyMenu +ConfigMap\/menu/)
  await rm(home, { recursive: true })
}

test.run()
