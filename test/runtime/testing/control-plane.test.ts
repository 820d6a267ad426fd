import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { namespaces } from '../../../generated/apis/core/v1/namespace.ts'
import { connect } from '../../../runtime/connection/connection.ts'
import { startControlPlane } from '../../../runtime/testing/testing.ts'
import { hangSignal } from '../../support/deadline.ts'
import { assertRejects } from '../../support/rejects.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('runtime/testing')

test('a control plane has its namespaces when it is there', async () => {
  await using plane = await startControlPlane()
  const { items } = await plane.client.resource(namespaces).listAll()
  assert.equal(
    items.map(({ metadata }) => metadata.name),
    ['default', 'orch-node-lease', 'orch-public', 'orch-system'],
  )
})

test('two in one process share nothing', async () => {
  await using one = await startControlPlane()
  await using other = await startControlPlane()
  await one.client.resource(configMaps).create({ metadata: { name: 'x' } })
  assert.is(await other.client.resource(configMaps).find('x'), undefined)
})

test('with a socket the client goes through it', async () => {
  await using plane = await startControlPlane({ socket: true })
  assert.match(plane.url ?? '', /^http:\/\/127\.0\.0\.1:\d+/)
  const created = await plane.client.resource(configMaps).create({ metadata: { name: 'x' } })
  const response = await fetch(`${plane.url}/api/v1/namespaces/default/configmaps/x`)
  const { metadata } = (await response.json()) as typeof created
  assert.is(metadata.uid, created.metadata.uid)
})

test('with TLS the client, and whoever reads the orchconfig, shows the certificate of an administrator', async () => {
  await using plane = await startControlPlane({ socket: 'tls', authorization: 'RBAC' })
  assert.match(plane.url ?? '', /^https:/)
  await plane.client.resource(configMaps).create({ metadata: { name: 'x' } })
  const file = join(tempDirectory(), 'orchconfig')
  await writeFile(file, plane.orchconfig ?? '')
  const other = await connect(file)
  assert.ok(await other.resource(configMaps).find('x'))
  await other.close()
})

test('a stopped one answers no more, and ends its watches', async () => {
  const plane = await startControlPlane()
  const watch = plane.client.resource(configMaps).watch({}, hangSignal())
  const ended = (async () => {
    for await (const _ of watch);
  })()
  await plane.client.resource(configMaps).create({ metadata: { name: 'x' } })
  await plane.stop()
  await ended.catch(() => {})
  const error = await assertRejects(
    plane.client.resource(configMaps).get('x'),
    'ServiceUnavailable',
  )
  assert.match(error.message, 'the server is stopped and takes no requests: stop what uses it')
})

test.run()
