// The examples of the guide about ways to a server.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { selfSubjectReviews } from 'orch/generated/apis/authentication/v1'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { nodes } from 'orch/generated/apis/core/v1/node'
import { startControlPlane } from 'orch/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectAs, connectTo, zonesOfLinux } from '../../../examples/guide/connecting.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('examples/guide: connecting')

test('a client by a file has the namespace and the name that it was given', async () => {
  await using plane = await startControlPlane({ socket: true })
  const file = join(tempDirectory(), 'orchconfig')
  writeFileSync(file, plane.orchconfig ?? '')
  const client = await connectTo(file)
  assert.equal([client.namespace, client.manager], ['shop', 'website-operator'])
  await client
    .resource(configMaps)
    .in('default')
    .create({ metadata: { name: 'x' } })
  await client.close()
})

test('a client that acts as another user is taken for that user', async () => {
  await using plane = await startControlPlane({ socket: 'tls' })
  const file = join(tempDirectory(), 'orchconfig')
  writeFileSync(file, plane.orchconfig ?? '')
  const client = await connectAs('jane', file)
  const review = await client.resource(selfSubjectReviews).create({ metadata: {} } as never)
  assert.is(review.status?.userInfo?.username, 'jane')
  await client.close()
})

test('well-known names are constants', async () => {
  await using plane = await startControlPlane()
  const labels = { 'orch.io/os': 'linux', 'topology.orch.io/zone': 'a' }
  await plane.client.resource(nodes).create({ metadata: { name: 'one', labels } })
  await plane.client.resource(nodes).create({ metadata: { name: 'two' } })
  assert.equal(await zonesOfLinux(plane.client), ['a'])
})

test.run()
