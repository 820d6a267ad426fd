/** The tool that compares two servers: what it finds, what it passes over, and how small it makes what it found. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { compareClass, type Servers } from '../../../tools/compare/compare-class.ts'
import { differencesOf } from '../../../tools/compare/differences.ts'
import { comparedHeaders } from '../../../tools/compare/headers.ts'
import { normalizedAnswers } from '../../../tools/compare/normalize.ts'
import { compareOptions } from '../../../tools/compare/options.ts'
import {
  ownServer,
  protobufCodecOf,
  publicApi,
  publicScheme,
} from '../../../tools/compare/own-server.ts'
import { Random, seedOf } from '../../../tools/compare/random.ts'
import { tableOf } from '../../../tools/compare/report.ts'
import type { Scenario, ScenarioContext } from '../../../tools/compare/scenario.ts'
import { scenarioClasses } from '../../../tools/compare/scenarios/scenario-classes.ts'
import type { Answer } from '../../../tools/compare/server.ts'
import { shrunk } from '../../../tools/compare/shrink.ts'

const tests = suite('tools/compare')

const namespace = 'compared'
let servers: Servers
let context: ScenarioContext

tests.before(async () => {
  const scheme = await publicScheme()
  const codec = await protobufCodecOf(scheme)
  const [ours, reference, api] = await Promise.all([
    ownServer(scheme, codec),
    ownServer(scheme, codec),
    publicApi(),
  ])
  servers = { ours, reference }
  context = { api, namespace }
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  for (const server of [ours, reference])
    await server.run([{ method: 'POST', path: '/api/v1/namespaces', body }])
})
tests.after(async () => {
  await Promise.all([servers.ours.close(), servers.reference.close()])
})

for (const { name, prepare, before } of scenarioClasses) {
  tests(`two servers of one build answer alike: ${name}`, async () => {
    for (const server of [servers.ours, servers.reference])
      await server.run(before?.(context) ?? [])
    const { found } = await compareClass(servers, {
      className: name,
      make: await prepare(context),
      cases: 10,
      first: 0,
      seed: 7,
      parallel: 1,
      shrink: false,
      progress: () => {},
      discovered: () => {},
    })
    assert.equal(
      found.map(({ signature }) => signature),
      [],
    )
  })

  tests(`a seed makes equal scenarios again: ${name}`, async () => {
    const make = async () => (await prepare(context))(new Random(seedOf(name, 3, 17)), 'c3x17', 17)
    const made = await prepare(context)
    made(new Random(seedOf(name, 3, 4)), 'c3x4', 4)
    assert.equal(await make(), made(new Random(seedOf(name, 3, 17)), 'c3x17', 17))
  })
}

const answer = (status: number, body: object, headers = {}): Answer => ({
  status,
  headers,
  text: JSON.stringify(body),
})
const get: Scenario = { subject: 'Pod.v1', steps: [{ method: 'GET', path: '/x' }] }
const places = (ours: Answer, reference: Answer) =>
  differencesOf(get, [ours], [reference]).map(({ at }) => at)

tests('a difference is told with its place', () => {
  assert.equal(places(answer(200, { a: [1, 2] }), answer(200, { a: [1, 3], b: 1 })), ['a[1]', 'b'])
  assert.equal(places(answer(200, {}), answer(404, {})), ['status'])
  assert.equal(places(answer(200, {}, { warning: 'x' }), answer(200, {})), ['header warning'])
})

tests('equal values in other bytes differ in bytes', () => {
  assert.equal(places(answer(200, { a: 1, b: 2 }), answer(200, { b: 2, a: 1 })), ['bytes'])
})

tests('of an error the first difference alone is told', () => {
  const status = (message: string, field: string) => ({
    kind: 'Status',
    message,
    details: { causes: [{ field }] },
  })
  assert.equal(places(answer(422, status('x', 'a')), answer(422, status('y', 'b'))), [
    'details.causes[0].field',
  ])
})

tests('after a step with another status nothing is compared', () => {
  const twice: Scenario = { ...get, steps: [...get.steps, ...get.steps] }
  const found = differencesOf(
    twice,
    [answer(200, {}), answer(200, {})],
    [answer(201, {}), answer(404, {})],
  )
  assert.is(found.length, 1)
})

tests(
  'of one object the first difference alone is told, and a value before what is booked for it',
  () => {
    const steps = [get.steps, get.steps].flat()
    const one: Scenario = { subject: 'Pod.v1', oneObject: true, steps }
    const object = (a: number, manager: string) =>
      answer(200, { metadata: { managedFields: [{ manager }] }, spec: { a, b: a } })
    const [mine, theirs] = [object(1, 'x'), object(2, 'y')]
    const found = differencesOf(one, [mine, mine], [theirs, object(3, 'z')])
    assert.equal(
      found.map(({ step, at }) => `${step} ${at}`),
      ['0 spec.a'],
    )
    const refused = (message: string) => answer(422, { kind: 'Status', message })
    assert.is(differencesOf(one, [refused('x'), mine], [refused('y'), theirs]).length, 2)
  },
)

tests('identifiers, revisions and present times are equal where they stand for the same', () => {
  const now = Date.parse('2026-01-01T12:00:00Z')
  const object = (uid: string, resourceVersion: string, creationTimestamp: string) =>
    answer(200, { metadata: { uid, resourceVersion, creationTimestamp } })
  const [mine] = normalizedAnswers(
    [object('0b8a5dd1-5b5c-4c1e-9a63-111111111111', '7', '2026-01-01T11:59:58Z')],
    now,
  )
  const [theirs] = normalizedAnswers(
    [object('0b8a5dd1-5b5c-4c1e-9a63-222222222222', '912', '2026-01-01T12:00:03Z')],
    now,
  )
  assert.equal(mine, theirs)
  const [old] = normalizedAnswers([answer(200, { time: '2020-01-01T00:00:00Z' })], now)
  assert.match(old?.text ?? '', '2020-01-01T00:00:00Z')
})

tests('a message that shows an object of one server counts no revisions', () => {
  const shown = JSON.stringify({ resourceVersion: '80' })
  const refusal = answer(422, { message: `Invalid value: ${shown}` })
  const next = answer(200, { metadata: { name: 'x', resourceVersion: '912' } })
  const [told, after] = normalizedAnswers([refusal, next], 0)
  assert.match(JSON.parse(told?.text ?? '').message, '"resourceVersion":"<revision>"')
  assert.match(after?.text ?? '', '<revision 1>')
})

tests('an object that an error quotes is still one once its ports are taken out', () => {
  const quoted = JSON.stringify({ spec: { ports: [{ port: 80, nodePort: 30123 }] } })
  const refused = answer(422, {
    kind: 'Status',
    message: `Invalid value: ${JSON.stringify(quoted)}`,
  })
  const [normal] = normalizedAnswers([refused], Date.now())
  assert.match(JSON.parse(normal?.text ?? '').message, /\\"nodePort\\":\\"<port>\\"/)
})

tests('a scenario shrinks to what shows the difference', async () => {
  const body = { apiVersion: 'v1', kind: 'Pod', spec: { a: [{ b: 1, wrong: 2 }, 3], c: 4 } }
  const scenario: Scenario = {
    subject: 'Pod.v1',
    steps: [
      { method: 'POST', path: '/x', body },
      { method: 'GET', path: '/x' },
    ],
  }
  const smallest = await shrunk(scenario, async (smaller) =>
    JSON.stringify(smaller).includes('wrong'),
  )
  assert.equal(smallest.steps, [
    {
      method: 'POST',
      path: '/x',
      body: { apiVersion: 'v1', kind: 'Pod', spec: { a: [{ wrong: 2 }] } },
    },
  ])
})

tests(
  'headers that every server makes itself are only present, those of a connection are passed over',
  () => {
    assert.equal(
      comparedHeaders({
        'audit-id': '5391e046-65e6-476a-b285-84f54a2d443a',
        date: 'Sun, 22 Nov 2026 07:10:56 GMT',
        warning: ['299 - "a"', '299 - "b"'],
        etag: '"90FC"',
        'content-length': '7',
      }),
      { 'audit-id': 'present', warning: '299 - "a"\n299 - "b"', etag: 'present' },
    )
  },
)

tests('an item that is missing does not move all others', () => {
  const list = (...names: string[]) => answer(200, { resources: names.map((name) => ({ name })) })
  assert.equal(places(list('a', 'c'), list('a', 'b', 'c')), ['resources.[b]'])
  assert.equal(places(list('a', 'b'), list('b', 'a')), ['resources[0].name', 'resources[1].name'])
})

tests('of the last bookmarks of two streams the type and the version are compared', () => {
  const event = (type: string, object: object) => JSON.stringify({ type, object })
  const stream = (...events: readonly string[]) => ({
    ...answer(200, {}),
    text: events.join('\n'),
  })
  const added = event('ADDED', { metadata: { name: 'a' } })
  const bookmark = (kind: string, more: object = {}) =>
    event('BOOKMARK', { kind, apiVersion: 'v1', metadata: { resourceVersion: 'x' }, ...more })
  const pod = bookmark('Pod')
  assert.equal(places(stream(added, pod), stream(added)), [])
  assert.equal(places(stream(pod), stream()), [])
  assert.equal(places(stream(added), stream(added, pod)), [])
  assert.equal(places(stream(pod, pod), stream(bookmark('Pod', { spec: {} }))), [])
  assert.equal(places(stream(bookmark('Table')), stream(pod)), ['[0].bookmark.kind'])
  assert.is(places(stream(added, pod), stream(pod)).length > 0, true)
})

tests('shared parameters of a document are compared by what they are', () => {
  const document = (name: string, type: string) =>
    answer(200, {
      swagger: '2.0',
      paths: { '/a': { get: { parameters: [{ $ref: `#/parameters/${name}` }] } } },
      parameters: { [name]: { name: 'limit', type } },
    })
  assert.equal(places(document('limit-1', 'integer'), document('limit-2', 'integer')), ['bytes'])
  assert.equal(places(document('limit-1', 'integer'), document('limit-2', 'string')), [
    'paths./a.get.parameters[0].type',
  ])
})

tests('a table tells of each class what it came to', () => {
  const count = { cases: 12, requests: 30, places: 4, known: 1, unexplained: 2 }
  const table = tableOf([{ name: 'objects', result: { found: [], count }, seconds: 3.2 }])
  assert.equal(
    table.split('\n').map((line) => line.trim().split(/\s+/)),
    [
      ['class', 'cases', 'requests', 'places', 'known', 'unexplained', 'seconds'],
      ['objects', '12', '30', '4', '1', '2', '3'],
    ],
  )
})

tests('a wrong command line says what is wrong', () => {
  assert.throws(() => compareOptions([]), /--reference is required/)
  assert.throws(() => compareOptions(['--reference', 'x', 'nothing']), /no such class: nothing/)
  assert.throws(
    () => compareOptions(['--reference', 'x', '--cases', '-1']),
    /--cases|argument|ambiguous/,
  )
})

tests.run()
