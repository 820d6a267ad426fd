// What an operator tells those who run it: examples/guide/serving.ts over a real server, asked by HTTP.
import type { ManagerReport } from 'orch'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { startControlPlane } from 'orch/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { menuManager, menuMetrics, serveMenus } from '../../../examples/guide/serving.ts'
import { until } from '../../support/until.ts'

const test = suite('examples/guide: serving')

test('probes, metrics and the debug page tell what the operator does', async () => {
  await using plane = await startControlPlane()
  const { client } = plane
  const metrics = await menuMetrics()
  const manager = menuManager(client, metrics)
  const kitchen = { open: true }
  const server = await serveMenus(manager, metrics, kitchen)
  const base = server.url
  const get = async (path: string): Promise<[number, string]> => {
    const response = await fetch(base + path)
    return [response.status, await response.text()]
  }
  assert.equal(await get('/healthz'), [200, 'ok'])
  const [unready, checks] = await get('/readyz')
  assert.is(unready, 500)
  assert.match(checks, '[-]caches-synced failed')
  const [, early] = await get('/debug/orch')
  assert.match(early, /^filling caches\n/)

  const stop = new AbortController()
  const running = manager.run(stop.signal)
  await manager.ready
  assert.equal(await get('/readyz'), [200, 'ok'])
  kitchen.open = false
  assert.is((await get('/readyz'))[0], 500)
  assert.is((await get('/readyz/kitchen'))[0], 500)
  assert.equal(await get('/readyz/caches-synced'), [200, 'ok'])
  assert.equal(await get('/healthz'), [200, 'ok'])

  const maps = client.resource(configMaps)
  await maps.create({ metadata: { name: 'dinner' }, data: { soup: 'miso', main: 'tofu,rice' } })
  await maps.create({ metadata: { name: 'empty' } })
  await until('runs', () => manager.stats().menu?.runs.terminal === 1)
  await until('runs', () => (manager.stats().menu?.runs.done ?? 0) >= 1)
  const [, text] = await get('/metrics')
  assert.match(text, '\nmenu_dishes{course="main"} 2\n')
  const counted = (name: string, labels: string): number =>
    Number(new RegExp(`^${name}\\{${labels}\\} (\\S+)$`, 'm').exec(text)?.[1])
  const of = (name: string) => counted(`controller_runtime_${name}`, 'controller="menu"')
  assert.ok(counted('controller_runtime_reconcile_total', 'controller="menu",result="success"') > 0)
  assert.is(counted('controller_runtime_reconcile_total', 'controller="menu",result="error"'), 1)
  assert.is(
    counted('controller_runtime_reconcile_total', 'controller="menu",result="requeue_after"'),
    0,
  )
  assert.equal([of('reconcile_errors_total'), of('terminal_reconcile_errors_total')], [1, 1])
  assert.equal([of('active_workers'), of('max_concurrent_reconciles')], [0, 4])
  assert.ok(of('reconcile_time_seconds_count') >= 2)
  assert.ok(counted('workqueue_adds_total', 'name="menu"') >= 2)
  assert.not.match(text, 'dinner')

  const [, page] = await get('/debug/orch')
  assert.match(page, /^working\n/)
  assert.match(
    page,
    /menu: 0 running, 0 ready, 0 waiting; runs: \d+ done, 0 again, 0 failed, 1 term/,
  )
  assert.match(page, /default\/empty +resting .*: terminal in .*, 0 writes: the menu is empty/)
  const report = JSON.parse((await get('/debug/orch?format=json'))[1]) as ManagerReport
  const empty = report.controllers.menu?.keys.find(({ key }) => key === 'default/empty')
  assert.is(empty?.last?.outcome, 'terminal')
  assert.is(empty?.last?.why, 'the menu is empty')
  assert.match(empty?.last?.run ?? '', /^\w+-\w+$/)

  stop.abort()
  await running
  await server.stop()
})

test.run()
