/** What namespaces allow: objects in them, their own end. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { bootstrap, createRegistry } from '../../../../runtime/registry/registry.ts'
import { change, make, openAdmitted, pod } from '../../../support/admission.ts'
import {
  body,
  dry,
  inDefault,
  kindAt,
  type OpenRegistry,
  quiet,
} from '../../../support/registry.ts'
import { assertRejects } from '../../../support/rejects.ts'

const test = suite<OpenRegistry>('runtime/admission: namespaces')

test.before(async (context) => {
  Object.assign(context, await openAdmitted())
})
test.after(({ close }) => close())

const maps = 'api/v1/configmaps'
const namespaces = 'api/v1/namespaces'

const map = (namespace: string) => ({ metadata: { name: 'm', namespace } })

for (const options of [undefined, dry]) {
  test(`nothing is made in a namespace that is not there${options ? ', not even on a dry run' : ''} (Q-13, X-16)`, async (opened) => {
    const error = await assertRejects(make(opened, maps, map('nowhere'), options), 'NotFound')
    assert.is(error.message, 'namespaces "nowhere" not found')
    assert.equal(JSON.parse(JSON.stringify(error.details)), { name: 'nowhere', kind: 'namespaces' })
  })
}

test('nothing new comes into a namespace that ends, what is there may change (Q-13, X-18, R-16)', async (opened) => {
  const name = 'ending'
  await make(opened, namespaces, { metadata: { name } })
  await make(opened, maps, map(name))
  await opened.registry.delete({ kind: kindAt(namespaces), name }, { dryRun: false })
  const fresh = { metadata: { name: 'fresh', namespace: name } }
  const error = await assertRejects(make(opened, maps, fresh), 'Forbidden')
  assert.is(
    error.message,
    'configmaps "fresh" is forbidden: unable to create new content in namespace ending because it is being terminated',
  )
  assert.equal(error.details?.causes, [
    {
      reason: 'NamespaceTerminating',
      message: 'namespace ending is being terminated',
      field: 'metadata.namespace',
    },
  ])
  await change(opened, maps, 'm', { data: { a: 'b' } }, { namespace: name })
  const target = { kind: kindAt(maps), namespace: name, name: 'm' }
  await opened.registry.delete(target, { dryRun: false })
})

for (const name of ['default', 'orch-system', 'orch-public']) {
  test(`the namespace ${name} stays (Q-13, X-16)`, async ({ registry }) => {
    const target = { kind: kindAt(namespaces), name }
    const error = await assertRejects(registry.delete(target, { dryRun: false }), 'Forbidden')
    assert.is(error.message, `namespaces "${name}" is forbidden: this namespace may not be deleted`)
  })
}

/** A second registry over the same store, with other plugins; its end is that of both. */
async function beside(
  first: OpenRegistry,
  admission: NonNullable<Parameters<typeof openAdmitted>[0]>,
): Promise<OpenRegistry> {
  const { store } = first
  const registry = createRegistry({ store, scheme, clock: systemClock, admission })
  await bootstrap(registry)
  const close = async () => {
    registry.close()
    await first.close()
  }
  return { registry, store, close }
}

test('a namespace that is wanted for every write is wanted for changes and deletions, too (Q-27)', async () => {
  const free = await openAdmitted({ only: [] })
  await make(free, maps, map('nowhere'))
  await make(free, maps, { metadata: { name: 'm' } })
  const opened = await beside(free, { only: ['NamespaceExists'] })
  const data = { data: { a: 'b' } }
  const target = { kind: kindAt(maps), name: 'm' }
  for (const write of [
    () => make(opened, maps, { metadata: { name: 'n', namespace: 'nowhere' } }),
    () => change(opened, maps, 'm', data, { namespace: 'nowhere' }),
    () => opened.registry.delete({ ...target, namespace: 'nowhere' }, { dryRun: false }),
  ]) {
    const error = await assertRejects(write(), 'NotFound')
    assert.is(error.message, 'namespaces "nowhere" not found')
  }
  await change(opened, maps, 'm', data)
  await opened.registry.delete({ ...target, namespace: 'default' }, { dryRun: false })
  await opened.close()
})

test('a plugin that denies everything denies every sort of write, not the start (Q-03, Q-27)', async () => {
  const free = await openAdmitted()
  await make(free, maps, { metadata: { name: 'there' } })
  const opened = await beside(free, { enable: ['AlwaysDeny'] })
  const why = 'admission control is denying all modifications'
  const created = await assertRejects(make(opened, maps, { metadata: { name: 'm' } }), 'Forbidden')
  assert.is(created.message, `configmaps "m" is forbidden: ${why}`)
  const labelled = { metadata: { labels: { a: 'b' } } }
  const changed = await assertRejects(change(opened, namespaces, 'default', labelled), 'Forbidden')
  assert.is(changed.message, `namespaces "default" is forbidden: ${why}`)
  const target = inDefault(kindAt(maps), 'there')
  const deleted = await assertRejects(
    opened.registry.delete(target, { dryRun: false }),
    'Forbidden',
  )
  assert.is(deleted.message, `configmaps "there" is forbidden: ${why}`)
  await make(free, 'api/v1/pods', pod('p'))
  const eviction = inDefault(kindAt('api/v1/pods'), 'p', 'eviction')
  const order = body({ metadata: { name: 'p' } })
  await assertRejects(opened.registry.act(eviction, order, quiet), 'Forbidden')
  await opened.close()
})

test.run()
