import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { namespaces } from '../../../generated/apis/core/v1/namespace.ts'
import { persistentVolumes } from '../../../generated/apis/core/v1/persistent-volume.ts'
import { connect } from '../../../runtime/connection/connection.ts'
import { startControlPlane } from '../../../runtime/testing/testing.ts'
import { hangSignal } from '../../support/deadline.ts'
import { assertRejects } from '../../support/rejects.ts'
import { tempDirectory } from '../../support/temp.ts'
import { until } from '../../support/until.ts'

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

test('names of controllers that do not exist are refused before anything runs, with the nearest (J-07)', async () => {
  const refused: readonly (readonly [unknown, string])[] = [
    [['gabage-collector-controller'], 'garbage-collector-controller'],
    [['*', '-podcg'], 'podgc'],
    [[' podgc'], '" podgc": there is no such controller; did you mean "podgc"?'],
    [[''], '"": there is no such controller'],
    [['__proto__', 'x'], '__proto__: there is no such controller; x: there is no such controller'],
    [[5], '5: there is no such controller'],
    ['podgc', 'controllers: is no list of names'],
  ]
  for (const [controllers, text] of refused) {
    const options = { controllers: controllers as readonly [], socket: true }
    const { message } = await refusal(startControlPlane(options))
    assert.ok(message.includes(text), message)
  }
  await until('nothing listens', () => listeners().length === 0)
})

test('older names, a star and what it leaves out mean the same as the names of controllers (J-07)', async () => {
  // Volumes are protected as they are created where both controllers of that run.
  const finalizersWith = async (words: readonly string[]) => {
    await using plane = await startControlPlane({ controllers: words as readonly [] })
    const spec = {
      ...{ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] as const },
      hostPath: { path: '/data' },
    }
    const { metadata } = await plane.client
      .resource(persistentVolumes)
      .create({ metadata: { name: 'disk' }, spec })
    return metadata.finalizers?.length ?? 0
  }
  const older = ['pvc-protection', 'pv-protection', 'pv-protection']
  assert.is(await finalizersWith(older), 1)
  assert.is(await finalizersWith(['*']), 1)
  assert.is(await finalizersWith(['-pv-protection', ...older]), 0)
  assert.is(await finalizersWith(['*', '-persistentvolume-protection-controller']), 0)
  assert.is(await finalizersWith([]), 0)
})

test('where something cannot start, what has started ends again', async () => {
  const { message } = await refusal(
    startControlPlane({ socket: 'tls', controllers: ['*'], scheduler: true, simulatedNodes: -1 }),
  )
  assert.match(message, /^count: must be a number of nodes/)
  await until('nothing listens', () => listeners().length === 0)
})

async function refusal(start: Promise<unknown>): Promise<RangeError> {
  const error: unknown = await start.catch((thrown: unknown) => thrown)
  if (!(error instanceof RangeError)) throw new Error('no RangeError', { cause: error })
  return error
}

/** Sockets of this process that listen. */
function listeners(): readonly string[] {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap')
}

test.run()
