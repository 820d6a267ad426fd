// What schemas declare of conditions, as reports and metrics of an operator tell it.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type Website,
  type WebsiteCondition,
  websites,
} from '../../../examples/operator/generated/apis/web/v1/website.ts'
import { scheme } from '../../../examples/operator/generated/scheme.ts'
import type { Draft } from '../../../runtime/client/client.ts'
import { operatorMetrics, serveOperator } from '../../../runtime/operator/operator.ts'
import {
  createManager,
  defineController,
  done,
  readinessOf,
} from '../../../runtime/reconcile/reconcile.ts'
import { startControlPlane, virtualClock } from '../../../runtime/testing/testing.ts'

const test = suite('runtime/operator: readiness')

const start = Date.parse('2030-01-01T00:00:00Z')
const minute = 60_000

function website(observedGeneration?: number, ...conditions: readonly Partial<WebsiteCondition>[]) {
  return {
    apiVersion: 'web.example.com/v1',
    kind: 'Website',
    metadata: { name: 'a', generation: 2, creationTimestamp: '2030-01-01T00:00:00Z' },
    spec: { title: 'A' },
    status: { observedGeneration, conditions },
  } as unknown as Website
}

const published = { type: 'Ready', status: 'True', reason: 'Published', message: 'fine' } as const
const starting = {
  ...published,
  status: 'False',
  reason: 'Starting',
  lastTransitionTime: '2030-01-01T00:05:00Z',
} as const

test('an object is ready when its status is current and declared conditions are healthy', () => {
  const at = (object: Website, now: number) => readinessOf(websites, object, start + now)
  assert.equal(at(website(2, published), 0), { ready: true, observed: true, unhealthy: [] })
  assert.equal(at(website(1, published), 0), { ready: false, observed: false, unhealthy: [] })
  assert.is(at(website(undefined, published), 0).ready, true)
  assert.equal(at(website(2, starting), 20 * minute), {
    ready: false,
    observed: true,
    unhealthy: [
      {
        ...{ type: 'Ready', status: 'False', reason: 'Starting', message: 'fine' },
        meaning: 'Fewer servers answer than are wanted.',
        forMs: 15 * minute,
        overdue: false,
      },
    ],
  })
  assert.is(at(website(2, starting), 20 * minute + 1).unhealthy[0]?.overdue, true)
})

test('a condition that nobody has set is unknown since the object is there', () => {
  const { unhealthy } = readinessOf(websites, website(2), start + 16 * minute)
  assert.equal(unhealthy, [
    {
      ...{ type: 'Ready', status: 'Unknown', reason: '', message: '', meaning: '' },
      forMs: 16 * minute,
      overdue: true,
    },
  ])
})

test('an operator reports who is not ready and why, and counts what is overdue', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ scheme, clock })
  const sites = plane.client.resource(websites)
  const make = async (name: string, condition?: Partial<WebsiteCondition>) => {
    const draft = { metadata: { name, namespace: 'default' }, spec: { title: name } }
    const made = await sites.create(draft as Draft<Website>)
    if (condition === undefined) return
    const lastTransitionTime = new Date(clock.now()).toISOString()
    const conditions = [{ ...condition, lastTransitionTime }] as readonly WebsiteCondition[]
    await sites.updateStatus({ ...made, status: { observedGeneration: 1, conditions } })
  }
  await make('good', published)
  await make('slow', { ...starting, message: '0 of 1 servers answer' })
  await make('new')
  const seen = defineController({ name: 'website', for: websites, reconcile: async () => done })
  const metrics = await operatorMetrics()
  const manager = createManager({ client: plane.client, controllers: [seen], metrics, clock })
  const server = await serveOperator({ manager, metrics, clock, port: 0, host: '127.0.0.1' })
  const stop = new AbortController()
  const running = manager.run(stop.signal)
  await manager.ready
  const read = async (path: string) => (await fetch(`${server.url}${path}`)).text()
  await clock.advance(10 * minute)
  const early = await read('/metrics')
  assert.match(early, 'controller_objects{controller="website"} 3')
  assert.match(early, 'controller_ready_objects{controller="website"} 1')
  const overdue = (reason: string, count: number) =>
    `controller_overdue_conditions{controller="website",kind="Website",condition="Ready",reason="${reason}"} ${count}`
  for (const reason of ['Published', 'Starting', 'Absent']) assert.match(early, overdue(reason, 0))
  await clock.advance(6 * minute)
  const late = await read('/metrics')
  for (const reason of ['Starting', 'Absent']) assert.match(late, overdue(reason, 1))
  const page = await read('/debug/orch')
  assert.match(page, '1 of 3 objects ready')
  assert.match(
    page,
    /default\/slow +Ready is False Starting for 16m, longer than it should: 0 of 1 servers answer/,
  )
  assert.match(page, /default\/new +Ready is Unknown for 16m, longer than it should/)
  stop.abort()
  await running
  await server.stop()
})

test.run()
