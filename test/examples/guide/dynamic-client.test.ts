// The examples of the guide about kinds that are known only at run time.
import { customResourceDefinitions } from 'orch/generated/apis/apiextensions/v1/custom-resource-definition'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { type ControlPlane, startControlPlane } from 'orch/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  cachedNames,
  gadgets,
  ownerOf,
  resize,
  servedResources,
  widgetManager,
} from '../../../examples/guide/dynamic-client.ts'
import { until } from '../../support/until.ts'
import { widgetDefinition } from '../../support/widgets.ts'

const test = suite<{ plane: ControlPlane }>('examples/guide: dynamic client')

test.before.each(async (context) => {
  context.plane = await startControlPlane()
  const { client } = context.plane
  await client.resource(customResourceDefinitions).create(widgetDefinition)
  await until('widgets', () => client.dynamic('widgets').catch(() => undefined))
})

test.after.each(({ plane }) => plane.stop())

test('a widget is created, patched and applied without a generated type', async ({ plane }) => {
  assert.is(await resize(plane.client), 3)
  assert.equal(await cachedNames(plane.client, 'widgets'), ['cog'])
})

test('an owner is found by what a reference says of it', async ({ plane: { client } }) => {
  await client.resource(configMaps).create({ metadata: { name: 'owner' } })
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner' }
  assert.is((await ownerOf(client, reference))?.metadata.name, 'owner')
  assert.is(await ownerOf(client, { ...reference, name: 'none' }), undefined)
})

test('what is served includes what was defined', async ({ plane: { client } }) => {
  assert.ok((await servedResources(client)).includes('widgets.v1.shop.example.com'))
})

test('a controller runs over a kind that it found at run time', async ({ plane: { client } }) => {
  const widgets = await client.dynamic('widgets')
  await widgets.create({ metadata: { name: 'cog' }, spec: { size: 12 } })
  const stop = new AbortController()
  const manager = await widgetManager(client)
  const run = manager.run(stop.signal)
  const status = await until('status', async () => (await widgets.get('cog')).status)
  assert.equal(status, { fits: false })
  stop.abort()
  await run
})

test('a kind that is written down needs no server', () => {
  assert.equal(
    [gadgets.listKind, gadgets.singular, gadgets.verbs.length],
    ['GadgetList', 'gadget', 8],
  )
})

test.run()
