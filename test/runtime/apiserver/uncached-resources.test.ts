import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import { uncachedProblems } from '../../../runtime/apiserver/apiserver.ts'
import { type AnyKind, resourceName } from '../../../runtime/kernel/descriptors/kind.ts'
import { apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import { samplesOf as basicSamples } from '../../../tools/compare/samples/basics.ts'
import { samplesOf as policySamples, type Sample } from '../../../tools/compare/samples/policies.ts'
import { samplesOf as workloadSamples } from '../../../tools/compare/samples/workloads.ts'
import { type CustomServer, definition, startCustom } from '../../support/custom.ts'
import { tempDirectory } from '../../support/temp.ts'

interface Opened {
  one: CustomServer
}

const test = suite<Opened>('runtime/apiserver: resources that are not kept in memory')
const storage = { kind: 'sqlite', file: `${tempDirectory()}/store.db` } as const
const uncachedResources = ['events', 'configmaps', 'widgets.example.com']
const widgets = '/apis/example.com/v1/namespaces/default/widgets'
const maps = '/api/v1/namespaces/default/configmaps'

test.before(async (opened) => {
  opened.one = await startCustom({ storage, uncachedResources })
})
test.after(({ one }) => one.stop())

/** The types of the events of a collection after a version. */
async function eventTypes(
  { server }: CustomServer,
  path: string,
  version: string,
  selector = '',
): Promise<readonly (string | undefined)[]> {
  const query = `watch=1&timeoutSeconds=1&labelSelector=${selector}&resourceVersion=${version}`
  const text = await (await fetch(`${server.url}${path}?${query}`)).text()
  return [...text.matchAll(/"type":"([A-Z]+)"/g)].map(([, type]) => type)
}

// A2.15 A2.17 L-03 L-04
test('objects of a definition are written, read, listed in pages and watched', async ({ one }) => {
  const { ask, define } = one
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  await define(definition('Widget', schema))
  const metadata = (name: string) => ({ metadata: { name }, apiVersion: 'example.com/v1' })
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const made = await ask('POST', widgets, { ...metadata(name), kind: 'Widget', size: 1 })
    assert.is(made.status, 201)
  }
  const merge = 'application/merge-patch+json'
  assert.is((await ask('PATCH', `${widgets}/b`, { size: 2 }, merge)).json.size, 2)
  assert.is((await ask('DELETE', `${widgets}/c`)).status, 200)
  assert.is((await ask('GET', `${widgets}/c`)).status, 404)
  const again = { ...metadata('a'), kind: 'Widget' }
  assert.is((await ask('POST', widgets, again)).json.reason, 'AlreadyExists')
  const first = (await ask('GET', `${widgets}?limit=2`)).json
  assert.is(first.metadata.remainingItemCount, 2)
  await ask('DELETE', `${widgets}/d`)
  const next = `${widgets}?limit=1&continue=${first.metadata.continue}`
  const second = (await ask('GET', next)).json
  assert.equal([second.items[0].metadata.name, second.metadata.remainingItemCount], ['d', 1])
  for (const version of ['', '0', first.metadata.resourceVersion]) {
    const { json } = await ask('GET', `${widgets}?resourceVersion=${version}`)
    const names = json.items.map((item: { metadata: { name: string } }) => item.metadata.name)
    assert.equal(names, ['a', 'b', 'e'])
  }
  const told = await eventTypes(one, widgets, first.items[0].metadata.resourceVersion)
  const creations = Array.from({ length: 4 }, () => 'ADDED')
  assert.equal(told, [...creations, 'MODIFIED', 'DELETED', 'DELETED'])
})

test('a server that begins with them tells an update from a creation', async ({ one }) => {
  const map = { metadata: { name: 'm', labels: { app: 'x' } } }
  assert.is((await one.ask('POST', maps, map)).status, 201)
  await one.stop()
  one = await startCustom({ storage, uncachedResources })
  try {
    const { json } = await one.ask('GET', maps)
    const merge = 'application/merge-patch+json'
    const patch = (app: string) => ({ metadata: { labels: { app } } })
    assert.is((await one.ask('PATCH', `${maps}/m`, patch('y'), merge)).status, 200)
    assert.is((await one.ask('PATCH', `${maps}/m`, patch('x'), merge)).status, 200)
    const told = await eventTypes(one, maps, json.metadata.resourceVersion, 'app%3Dx')
    assert.equal(told, ['DELETED', 'ADDED'])
  } finally {
    await one.stop()
  }
})

test('a quota that counts them refuses what it cannot count', async () => {
  const two = await startCustom({
    storage: { ...storage, file: `${storage.file}-2` },
    uncachedResources,
  })
  try {
    const hard = { 'count/configmaps': '10' }
    const quotas = maps.replace('configmaps', 'resourcequotas')
    await two.ask('POST', quotas, { metadata: { name: 'q' }, spec: { hard } })
    const refused = await two.ask('POST', maps, { metadata: { name: 'm' } })
    assert.is(refused.status, 500)
    assert.match(refused.json.message, 'all configmaps, which this server does not keep in memory')
    const secret = { metadata: { name: 's' } }
    assert.is((await two.ask('POST', maps.replace('configmaps', 'secrets'), secret)).status, 201)
  } finally {
    await two.stop()
  }
})

/** One object of each kind, in the version that comes first. */
function samples(): readonly Sample[] {
  const api = 'orch.io'
  const all = [...basicSamples(api), ...workloadSamples(api), ...policySamples(api)]
  const first = new Map<string, Sample>()
  for (const one of all) if (!first.has(one.kind)) first.set(one.kind, one)
  return [...first.values()]
}

/** What becomes of the creation, a change and the deletion of an object of each kind. */
async function answersOf(uncached: readonly string[], file: string): Promise<readonly string[]> {
  const server = await startCustom({
    storage: { kind: 'sqlite', file },
    uncachedResources: uncached,
  })
  const answers: string[] = []
  const routes = Object.entries(scheme.routes)
  try {
    await server.ask('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } })
    for (const sample of samples()) {
      const isKind = (kind: AnyKind): boolean =>
        kind.kind === sample.kind && apiVersionOf(kind) === sample.apiVersion
      const [path, kind] = routes.find(([, one]) => isKind(one)) ?? []
      if (path === undefined || kind === undefined) continue
      const within = kind.scope === 'Namespaced' ? 'namespaces/shop/' : ''
      const collection = `/${path.replace(/[^/]+$/, `${within}$&`)}`
      const object = `${collection}/${sample.metadata.name}`
      const merge = 'application/merge-patch+json'
      const labels = { metadata: { labels: { changed: 'yes' } } }
      for (const [method, where, body, type] of [
        ['POST', collection, sample, undefined],
        ['PATCH', object, labels, merge],
        ['GET', collection, undefined, undefined],
        ['DELETE', object, undefined, undefined],
      ] as const) {
        const { status, json } = await server.ask(method, where, body, type)
        answers.push(`${sample.kind} ${method} ${status} ${json?.reason ?? ''}`)
      }
    }
    return answers
  } finally {
    await server.stop()
  }
}

test('a server that keeps in memory only what it has to answers for every kind as one that keeps all', async () => {
  const every = [...new Set(Object.values(scheme.routes).map(resourceName))]
  const allowed = every.filter(
    (name) => uncachedProblems(scheme, { uncachedResources: [name], storage }).length === 0,
  )
  assert.ok(allowed.length > 20, `${allowed}`)
  const answers = await answersOf(allowed, `${storage.file}-few`)
  assert.equal(answers, await answersOf([], `${storage.file}-all`))
  assert.ok(answers.some((one) => one.startsWith('Pod POST 201')))
})

test('names are checked: there is no such resource, the server needs it, or all is in memory', () => {
  const problems = (...names: string[]) =>
    uncachedProblems(scheme, { uncachedResources: names, storage })
  assert.equal(problems('events', 'secrets', 'widgets.example.com', 'jobs.batch'), [])
  const flag = '--uncached-resources:'
  assert.equal(problems('event', 'pods', 'widgets', 'roles.rbac.authorization.orch.io'), [
    `${flag} event: there is no such resource; did you mean "events"?`,
    `${flag} pods: the server itself has to look at all of them`,
    `${flag} widgets: there is no such resource`,
    `${flag} roles.rbac.authorization.orch.io: the server itself has to look at all of them`,
  ])
  assert.equal(problems('job.batch'), [
    `${flag} job.batch: there is no such resource; did you mean "jobs.batch"?`,
  ])
  assert.equal(problems('/etc.example.com', 'a/b.example.com', '').length, 3)
  assert.equal(
    uncachedProblems(scheme, { uncachedResources: ['events'], storage: { kind: 'memory' } }),
    [`${flag} storage is memory, where everything is kept anyway`],
  )
})

test.run()
