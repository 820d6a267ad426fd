// A webhook in a control plane of its own.
import { isStatus } from 'orch'
import { startControlPlane } from 'orch/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { caches } from '../../../examples/caches/generated/apis/caches/v1/cache.ts'
import { scheme } from '../../../examples/caches/generated/scheme.ts'
import { cacheWebhook } from '../../../examples/caches/webhook.ts'

const test = suite('examples/guide: admission')

test('a cache loses one server at a time', async () => {
  await using plane = await startControlPlane({ schemes: [scheme], webhooks: [cacheWebhook] })
  const resource = plane.client.resource(caches)
  await resource.create({ metadata: { name: 'c' }, spec: { servers: 3 } })
  const error = await resource.mergePatch('c', { spec: { servers: 0 } }).catch((refusal) => refusal)
  assert.ok(isStatus(error, 'Invalid'))
  assert.match(error.message, 'spec.servers: Invalid value: 0: each server takes its keys with it')
})

test.run()
