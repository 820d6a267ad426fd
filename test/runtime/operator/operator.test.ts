import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { operatorMetrics, serveOperator } from '../../../runtime/operator/operator.ts'
import { createManager, defineController, done } from '../../../runtime/reconcile/reconcile.ts'
import { startControlPlane } from '../../../runtime/testing/testing.ts'
import { outerAddress } from '../../support/outer-address.ts'

const test = suite('runtime/operator')

const nothing = defineController({
  name: 'nothing',
  for: configMaps,
  reconcile: async () => done,
})

test('a new metric cannot have the name of another', async () => {
  const facts = { type: 'counter', labels: [], help: 'x' } as const
  for (const names of [['workqueue_depth'], ['mine_total', 'mine_total']]) {
    const own = names.map((name) => ({ ...facts, name }))
    await operatorMetrics(own).then(
      () => assert.unreachable(),
      ({ message }) => assert.match(message, `metric ${names.at(-1)}: the name is taken`),
    )
  }
})

test('the debug page is told to clients of the same machine alone', async () => {
  await using plane = await startControlPlane()
  const manager = createManager({ client: plane.client, controllers: [nothing] })
  const metrics = await operatorMetrics()
  const server = await serveOperator({ manager, metrics, port: 0 })
  const outer = outerAddress()
  const { url } = server
  const local = await fetch(`${url}/debug/orch`)
  assert.is(local.status, 200)
  const text = await local.text()
  assert.match(text, 'nothing: 0 running')
  assert.match(text, 'note: not known is what nothing writes by `client`')
  const json = await fetch(`${url}/debug/orch?format=json`)
  assert.equal(((await json.json()) as { graph: unknown }).graph, manager.graph())
  if (outer === undefined) console.log('SKIP debug page: this machine has no address but loopback')
  else {
    const from = url.replace('127.0.0.1', outer)
    const far = await fetch(`${from}/debug/orch`)
    assert.is(far.status, 403)
    assert.match(await far.text(), 'clients of the same machine')
    assert.is((await fetch(`${from}/healthz`)).status, 200)
  }
  await server.stop()
})

test.run()
