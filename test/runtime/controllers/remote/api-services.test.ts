/** An object for each group version that the server answers for (supplement B-01, B-02, O-09). */
import '../../../../tools/test/guard.ts'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fakeClock } from '../../../support/clock.ts'
import {
  type CustomServer,
  definition,
  definitionsPath,
  startCustom,
} from '../../../support/custom.ts'
import { tempDirectory } from '../../../support/temp.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/controllers: objects of group versions')
const path = '/apis/apiregistration.orch.io/v1/apiservices'
const label = 'orch-aggregator.orch.io/automanaged'
const merge = 'application/merge-patch+json'
const schema = { type: 'object', properties: { spec: { type: 'object' } } }

let custom: CustomServer
test.before(async () => {
  custom = await startCustom()
})
test.after(() => custom.stop())

interface ApiVersion {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly labels: Readonly<Record<string, string>>
  }
  readonly spec: Readonly<Record<string, unknown>>
  readonly status: { readonly conditions: readonly Readonly<Record<string, string>>[] }
}

async function listed({ ask }: CustomServer = custom, query = ''): Promise<readonly ApiVersion[]> {
  return (await ask('GET', path + query)).json.items
}

const namesOf = (all: readonly ApiVersion[]) => all.map(({ metadata }) => metadata.name)

async function servedNames({ ask }: CustomServer): Promise<readonly string[]> {
  const { groups } = (await ask('GET', '/apis')).json as {
    groups: readonly { name: string; versions: readonly { version: string }[] }[]
  }
  const named = groups.flatMap(({ name, versions }) =>
    versions.map(({ version }) => `${version}.${name}`),
  )
  return ['v1.', ...named].sort()
}

test('nothing is written for them before somebody asks', async () => {
  const fresh = await startCustom()
  const version = async () =>
    (await fresh.ask('GET', '/api/v1/pods')).json.metadata.resourceVersion as string
  const before = await version()
  assert.is(await version(), before)
  const count = (await listed(fresh)).length
  assert.is(Number(await version()), Number(before) + count)
  await fresh.stop()
})

// B-01, O-09
test('who asks first finds one for each version that discovery names, in any form of question', async () => {
  const names = await servedNames(custom)
  assert.equal([...namesOf(await listed())].sort(), names)
  for (const question of ['list', 'one', 'selected', 'watched', 'patched', 'deleted']) {
    const clock = fakeClock(Date.parse('2030-01-01T00:00:00Z'))
    const fresh = await startCustom({ clock })
    try {
      const one = `${path}/v1.apps`
      if (question === 'list') assert.is((await listed(fresh)).length, names.length)
      if (question === 'one') assert.is((await fresh.ask('GET', one)).status, 200)
      if (question === 'selected') {
        assert.equal(namesOf(await listed(fresh, '?fieldSelector=metadata.name=v1.apps')), [
          'v1.apps',
        ])
      }
      if (question === 'watched') {
        const watch = await fetch(`${fresh.server.url}${path}?watch=true&timeoutSeconds=1`)
        let text = ''
        const ended = (async () => {
          for await (const part of watch.body ?? []) text += Buffer.from(part).toString()
        })()
        const count = () => text.split('\n').length - 1
        await until('all are told', () => count() >= names.length)
        clock.advance(1000)
        await ended
        assert.is(count(), names.length)
      }
      if (question === 'patched') {
        assert.is((await fresh.ask('PATCH', one, { metadata: {} }, merge)).status, 200)
      }
      if (question === 'deleted') assert.is((await fresh.ask('DELETE', one)).status, 200)
    } finally {
      await fresh.stop()
    }
  }
})

// B-01, B-02
test('each is labelled, ranked and available', async () => {
  for (const { metadata, spec, status } of await listed()) {
    assert.equal(metadata.labels, { [label]: 'onstart' }, metadata.name)
    assert.is(metadata.name, `${spec.version}.${spec.group ?? ''}`)
    assert.equal(
      status.conditions.map(({ type, status, reason }) => [type, status, reason]),
      [['Available', 'True', 'Local']],
    )
  }
  const { json } = await custom.ask('GET', `${path}/v2.autoscaling`)
  assert.equal(json.spec, {
    group: 'autoscaling',
    version: 'v2',
    groupPriorityMinimum: 17_500,
    versionPriority: 30,
  })
})

test('whoever deletes one, or all of them, finds them back', async () => {
  const before = await listed()
  const old = before.find(({ metadata }) => metadata.name === 'v1.apps')
  await custom.ask('DELETE', `${path}/v1.apps`)
  await until('v1.apps is back', async () => {
    const { status, json } = await custom.ask('GET', `${path}/v1.apps`)
    return status === 200 && json.metadata.uid !== old?.metadata.uid
  })
  await custom.ask('DELETE', path)
  await until('all are back', async () => (await listed()).length === before.length)
})

test('a changed spec is put right, unless somebody takes the object over', async () => {
  const one = `${path}/v1.batch`
  const rank = async () => (await custom.ask('GET', one)).json.spec.versionPriority
  await custom.ask('PATCH', one, { spec: { versionPriority: 500 } }, merge)
  await until('the rank is right', async () => (await rank()) === 15)
  const taken = { metadata: { labels: { [label]: null } }, spec: { versionPriority: 500 } }
  await custom.ask('PATCH', one, taken, merge)
  await custom.ask('DELETE', `${path}/v1.policy`)
  await until(
    'others are kept',
    async () => (await listed()).length > 0 && (await has('v1.policy')),
  )
  assert.is(await rank(), 500)
  await custom.ask('DELETE', one)
  await until(
    'the rank is right again',
    async () => (await has('v1.batch')) && (await rank()) === 15,
  )
})

async function has(name: string): Promise<boolean> {
  return (await custom.ask('GET', `${path}/${name}`)).status === 200
}

// B-01, O-09
test('those of a definition come and go with it', async () => {
  const versions = { v1: true, v1beta1: true, v1alpha1: false }
  const spec = {
    versions: Object.entries(versions).map(([name, served]) => ({
      ...{ name, served, storage: name === 'v1', schema: { openAPIV3Schema: schema } },
    })),
  }
  await custom.define(definition('Lamp', schema, { spec }))
  const own = async () =>
    (await listed(custom, `?labelSelector=${label}=true`)).map(({ metadata, spec }) => [
      metadata.name,
      spec.groupPriorityMinimum,
      spec.versionPriority,
    ])
  assert.equal(await own(), [
    ['v1.example.com', 1000, 100],
    ['v1beta1.example.com', 1000, 100],
  ])
  assert.equal([...namesOf(await listed())].sort(), await servedNames(custom))
  await custom.ask('DELETE', `${definitionsPath}/lamps.example.com`)
  await until('they are gone', async () => (await own()).length === 0)
})

test('after a restart those of versions that are off are gone, and the others are the same', async () => {
  const storage = { kind: 'sqlite', file: join(tempDirectory(), 'store') } as const
  const first = await startCustom({ storage })
  const before = await listed(first)
  await first.stop()
  const second = await startCustom({ storage, runtimeConfig: ['autoscaling/v2=false'] })
  const after = await listed(second)
  const kept = before.filter(({ metadata }) => metadata.name !== 'v2.autoscaling')
  assert.equal(
    after.map(({ metadata }) => metadata.uid),
    kept.map(({ metadata }) => metadata.uid),
  )
  await second.stop()
})

test('one of an author of its own is nobody else’s to change', async () => {
  const spec = {
    group: 'other.example.com',
    version: 'v1',
    groupPriorityMinimum: 5,
    versionPriority: 5,
  }
  const body = { metadata: { name: 'v1.other.example.com' }, spec }
  assert.is((await custom.ask('POST', path, body)).status, 201)
  await custom.ask('DELETE', `${path}/v1.policy`)
  await until('others are kept', () => has('v1.policy'))
  const { json } = await custom.ask('GET', `${path}/v1.other.example.com`)
  assert.equal(json.spec, spec)
  assert.is((await custom.ask('DELETE', `${path}/v1.other.example.com`)).status, 200)
  assert.is(await has('v1.other.example.com'), false)
})

test.run()
