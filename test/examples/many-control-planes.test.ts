// A control plane for each test of an operator: many in one process, some of them at the same time.
import { subscribe } from 'node:diagnostics_channel'
import { createManager } from 'orch'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { startControlPlane } from 'orch/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { websiteController } from '../../examples/operator/controller.ts'
import { websites } from '../../examples/operator/generated/apis/web/v1/website.ts'
import { scheme } from '../../examples/operator/generated/scheme.ts'
import { hangSignal } from '../support/deadline.ts'
import { until } from '../support/until.ts'

const test = suite('examples: a control plane for each test')

const [rounds, atOnce] = [5, 10]

/** Starts a control plane, lets the operator publish a website in it, and stops both; gives all that it found. */
async function published(name: string): Promise<readonly string[]> {
  await using plane = await startControlPlane({ schemes: [scheme] })
  const { client } = plane
  const stop = new AbortController()
  const run = createManager({ client, controllers: [websiteController] }).run(stop.signal)
  await client.resource(websites).create({ metadata: { name }, spec: { title: name } })
  const found: string[] = []
  for await (const { object } of client.resource(configMaps).watch({}, hangSignal())) {
    found.push(object.metadata.name)
    if (object.metadata.name === name) break
  }
  found.push(...(await client.resource(websites).listAll()).items.map((one) => one.metadata.name))
  stop.abort()
  await run
  return found
}

test('fifty in one process run an operator each, share nothing, open no socket and leave nothing open', async () => {
  let sockets = 0
  for (const channel of ['net.client.socket', 'net.server.socket'])
    subscribe(channel, () => sockets++)
  const before = process.getActiveResourcesInfo()
  for (let round = 0; round < rounds; round++) {
    const names = Array.from({ length: atOnce }, (_, at) => `site-${round}-${at}`)
    const found = await Promise.all(names.map(published))
    assert.equal(
      found,
      names.map((name) => [name, name]),
    )
  }
  assert.is(sockets, 0)
  await until(
    'nothing is left open',
    () => process.getActiveResourcesInfo().length <= before.length,
  )
})

test.run()
