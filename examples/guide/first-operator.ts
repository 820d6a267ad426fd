import assert from 'node:assert/strict'
import { createManager } from 'orch'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { startControlPlane } from 'orch/testing'
import { websiteController } from '../operator/controller.ts'
import { websites } from '../operator/generated/apis/web/v1/website.ts'
import { scheme } from '../operator/generated/scheme.ts'

/** A website gets a ConfigMap with its pages, which it owns. */
export async function websiteGetsPages(): Promise<void> {
  await using plane = await startControlPlane({ schemes: [scheme] })
  const { client } = plane
  const stop = new AbortController()
  const manager = createManager({ client, controllers: [websiteController] })
  const running = manager.run(stop.signal)

  const hello = { metadata: { name: 'hello' }, spec: { title: 'Hello' } }
  const website = await client.resource(websites).create(hello)
  for await (const event of client.resource(configMaps).watch({}, stop.signal)) {
    if (event.type === 'ADDED' && event.object.metadata.name === 'hello') {
      assert.equal(event.object.metadata.ownerReferences?.[0]?.uid, website.metadata.uid)
      break
    }
  }

  stop.abort()
  await running
}
