// What controllers would write, and that nothing is written.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ConfigMap, configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { secrets } from '../../../generated/apis/core/v1/secret.ts'
import { again, defineController, done } from '../../../runtime/reconcile/reconcile.ts'
import { plan, startControlPlane } from '../../../runtime/testing/testing.ts'

const test = suite('runtime/testing: plan')

/** Copies each map into a secret of its name, deletes those named so, and notes that it did. */
const copier = defineController<ConfigMap>({
  name: 'copier',
  for: configMaps,
  owns: [secrets],
  async reconcile({ metadata, data = {} }, { client, ensure }) {
    if (data.fail !== undefined) throw new Error(data.fail)
    if (data.remove !== undefined) await client.resource(secrets).delete(data.remove)
    if (metadata.labels?.copied !== undefined) return done
    await ensure(secrets, { metadata: { name: metadata.name }, stringData: data })
    await client.resource(configMaps).mergePatch(metadata, {
      metadata: { labels: { copied: 'yes' } },
    })
    return again(60_000)
  },
})

const map = (name: string, data: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
})

test('a plan says what would be created and updated, with the paths of fields', async () => {
  const { changes, text, of, problems } = await plan(copier, [map('a', { n: '1' })])
  assert.equal(
    changes.map(({ is, object }) => `${is} ${object.kind} ${object.metadata.name}`),
    ['update ConfigMap a', 'create Secret a'],
  )
  const [update] = of(configMaps)
  assert.equal(update?.is === 'update' && update.fields, [
    { path: 'metadata.labels', before: undefined, after: { copied: 'yes' } },
  ])
  assert.is(of(secrets)[0]?.object.data?.n, 'MQ==')
  assert.is(
    text,
    [
      'update ConfigMap default/a',
      '    metadata.labels: {"copied":"yes"} (new)',
      'create Secret default/a',
      '    metadata.ownerReferences: [{"apiVersion":"v1","kind":"ConfigMap","name":"a","controller":true,"blockOwnerDeletion":true}]',
      '    data: {"n":"MQ=="}',
      '    type: "Opaque"',
      '',
    ].join('\n'),
  )
  assert.equal(problems, [])
})

test('a plan begins with what is there, and leaves it as it is', async () => {
  await using plane = await startControlPlane()
  await plane.client.resource(secrets).create({ metadata: { name: 'old' } })
  const before = await plane.snapshot()
  const { changes } = await plan(copier, [map('a', { remove: 'old' })], { on: plane })
  assert.equal(
    changes.map(({ is, object }) => `${is} ${object.kind} ${object.metadata.name}`),
    ['update ConfigMap a', 'create Secret a', 'delete Secret old'],
  )
  assert.is((await plane.snapshot()).resourceVersion, before.resourceVersion)
})

test('where nothing would be written, the plan says so', async () => {
  const labelled = { ...map('a', {}), metadata: { name: 'a', labels: { copied: 'yes' } } }
  const { changes, text } = await plan(copier, [labelled])
  assert.equal([changes.length, text], [0, 'nothing to write\n'])
})

test('a plan tells of controllers that wake themselves by what they write', async () => {
  const { text, graph } = await plan({ ...copier, writes: [configMaps] }, [])
  assert.is(
    text,
    'nothing to write\nwarning: copier wakes itself by ConfigMap: write only what differs, or leave the field out of the `fields` that wake\n',
  )
  assert.equal(
    graph.wakes.map(({ to, kind }) => [to, kind]),
    [
      ['copier', 'Secret'],
      ['copier', 'ConfigMap'],
    ],
  )
})

test('runs that fail are problems of the plan', async () => {
  const { problems } = await plan(copier, [map('a', { fail: 'no such thing' })])
  assert.equal(problems, ['copier default/a: reconcile failed: no such thing'])
})

test('an object of no known kind is refused by name', async () => {
  const thing = { apiVersion: 'x.example/v1', kind: 'Thing', metadata: { name: 'a' } }
  const error = await plan(copier, [thing]).catch((thrown: unknown) => thrown)
  assert.match(String(error), 'the control plane of the plan has no kind Thing of x.example/v1')
})

test.run()
