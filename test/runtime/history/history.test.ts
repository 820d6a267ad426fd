// What became of an object: its versions, those of others of its name, and how far a server remembers.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { createClient } from '../../../runtime/client/client.ts'
import { blame, objectAt, objectHistory, revisionAt } from '../../../runtime/history/history.ts'
import { isStatus } from '../../../runtime/kernel/errors/status-error.ts'
import { startControlPlane, virtualClock } from '../../../runtime/testing/testing.ts'

const test = suite('runtime/history')
const key = { namespace: 'default', name: 'settings' }
const metadata = { name: 'settings' }

test('every version is told, with who wrote it, when, and what that changed', async () => {
  await using plane = await startControlPlane()
  const maps = plane.client.resource(configMaps)
  const ada = createClient(plane.transport, { manager: 'ada' }).resource(configMaps)
  const first = await maps.create({ metadata, data: { colour: 'green', size: '1' } })
  await maps.create({ metadata: { name: 'other' } })
  const second = await ada.mergePatch(metadata.name, { data: { colour: 'red' } })
  const third = await ada.mergePatch(metadata.name, { data: { size: null, shape: 'round' } })
  const { revisions, oldestKept } = await objectHistory(maps, metadata)
  assert.is(oldestKept, undefined)
  assert.equal(
    revisions.map(({ revision, is, managers }) => [revision, is, managers.join()]),
    [
      [third.metadata.resourceVersion, 'updated', 'ada'],
      [second.metadata.resourceVersion, 'updated', 'ada'],
      [first.metadata.resourceVersion, 'created', 'client'],
    ],
  )
  const told = revisions.map(({ changes }) =>
    changes.map(({ path, before, after }) => `${path}: ${before} -> ${after}`),
  )
  assert.equal(told, [
    ['data.size: 1 -> undefined', 'data.shape: undefined -> round'],
    ['data.colour: green -> red'],
    [],
  ])
  assert.ok(revisions.every(({ at }) => !Number.isNaN(Date.parse(at ?? ''))))
  assert.is((await objectHistory(maps, key, { limit: 2 })).revisions.length, 2)
})

test('an object is read as it was at a revision', async () => {
  await using plane = await startControlPlane()
  const maps = plane.client.resource(configMaps)
  const first = await maps.create({ metadata, data: { colour: 'green' } })
  const second = await maps.mergePatch(metadata.name, { data: { colour: 'red' } })
  const { resourceVersion } = second.metadata
  await maps.delete(metadata.name)
  assert.equal(await objectAt(maps, key, resourceVersion), second)
  assert.equal(await objectAt(maps, key, first.metadata.resourceVersion), first)
  assert.is(await objectAt(maps, key, `${Number(first.metadata.resourceVersion) - 1}`), undefined)
  const refused = await objectAt(maps, key, 'soon').catch((error: Error) => error.message)
  assert.match(String(refused), /"soon" is no revision/)
})

test('an object that is gone has a history, and so has another one of its name before', async () => {
  await using plane = await startControlPlane()
  const maps = plane.client.resource(configMaps)
  await maps.create({ metadata, data: { round: '1' } })
  await maps.delete(metadata.name)
  await maps.create({ metadata, data: { round: '2' } })
  await maps.delete(metadata.name)
  const { revisions } = await objectHistory(maps, key)
  assert.equal(
    revisions.map(({ is, object }) => [is, object.data?.round]),
    [
      ['deleted', '2'],
      ['created', '2'],
    ],
  )
  const nameless = await objectHistory(maps, metadata).catch((error: Error) => error.message)
  assert.match(String(nameless), /name its namespace/)
  await maps.create({ metadata, data: { round: '3' } })
  assert.is((await objectHistory(maps, key)).revisions[0]?.object.data?.round, '3')
})

test('what is compacted is said, with the oldest revision that is kept', async () => {
  const clock = virtualClock(Date.parse('2030-01-01T00:00:00Z'))
  await using plane = await startControlPlane({ clock })
  const maps = plane.client.resource(configMaps)
  const first = await maps.create({ metadata, data: { round: '1' } })
  clock.advance(6 * 60_000)
  await maps.create({ metadata: { name: 'other' } })
  const later = await maps.mergePatch(metadata.name, { data: { round: '2' } })
  const { revisions, oldestKept } = await objectHistory(maps, key)
  assert.equal(
    revisions.map(({ is }) => is),
    ['updated', 'kept'],
  )
  assert.ok(Number(oldestKept) <= Number(later.metadata.resourceVersion))
  assert.ok(Number(oldestKept) >= Number(first.metadata.resourceVersion))
  const before = `${Number(first.metadata.resourceVersion) - 1}`
  const refused = await objectAt(maps, key, before).catch((error: unknown) => error)
  assert.ok(isStatus(refused, 'Expired'))
})

test('an object that never was has no history', async () => {
  await using plane = await startControlPlane()
  const maps = plane.client.resource(configMaps)
  const refused = await objectHistory(maps, key).catch((error: Error) => error.message)
  assert.match(String(refused), /"settings" is not there, and no revision since \d+ has it/)
})

test('a time means the version that was there then', async () => {
  const clock = virtualClock(Date.parse('2030-01-01T00:00:00Z'))
  await using plane = await startControlPlane({ clock })
  const maps = plane.client.resource(configMaps)
  await maps.create({ metadata, data: { round: '1' } })
  clock.advance(60_000)
  await maps.mergePatch(metadata.name, { data: { round: '2' } })
  const history = await objectHistory(maps, key)
  const at = (time: string) => revisionAt(history, Date.parse(time))?.object.data?.round
  assert.is(at('2030-01-01T00:00:30Z'), '1')
  assert.is(at('2030-01-01T00:01:30Z'), '2')
  assert.is(at('2029-01-01T00:00:00Z'), undefined)
})

test('each field has the manager that set it, since the revision that did, and its file', async () => {
  await using plane = await startControlPlane()
  const maps = plane.client.resource(configMaps)
  const origin = { 'config.kubernetes.io/origin': 'path: deploy/settings.yaml\n' }
  const apply = (data: Record<string, string>, manager: string) =>
    maps.apply({ metadata: { ...metadata, annotations: origin }, data }, { manager, force: true })
  const first = await apply({ colour: 'green', size: '1' }, 'git')
  const second = await apply({ colour: 'green', size: '2' }, 'git')
  const third = await maps.mergePatch(metadata.name, { data: { shape: 'round' } })
  const fields = blame(await objectHistory(maps, key))
  const told = fields.map(({ path, manager, since, orBefore, file }) => [
    path,
    manager,
    since,
    orBefore,
    file,
  ])
  const file = 'deploy/settings.yaml'
  const version = (object: typeof first) => object.metadata.resourceVersion
  assert.equal(told, [
    ['data.colour', 'git', version(first), false, file],
    ['data.shape', 'client', version(third), false, undefined],
    ['data.size', 'git', version(second), false, file],
    ['metadata.annotations["config.kubernetes.io/origin"]', 'git', version(first), false, file],
  ])
})

test('a map whose fields others have taken is not said to be of who made it', async () => {
  await using plane = await startControlPlane()
  const maps = plane.client.resource(configMaps)
  const ada = createClient(plane.transport, { manager: 'ada' }).resource(configMaps)
  await maps.create({ metadata, data: { colour: 'green' } })
  await ada.mergePatch(metadata.name, { data: { colour: 'red' } })
  const fields = blame(await objectHistory(maps, key))
  assert.equal(
    fields.map(({ path, manager }) => `${path} ${manager}`),
    ['data.colour ada'],
  )
})

test.run()
