/** How records reach a webhook: in which lists, when, and what becomes of those that it does not take. U-05 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readEventList } from '../../../generated/apis/audit/v1.read.ts'
import { platform } from '../../../generated/platform.ts'
import { scheme } from '../../../generated/scheme.ts'
import {
  type AuditEvent,
  type Auditor,
  type AuditWebhookOptions,
  createAuditor,
} from '../../../runtime/audit/audit.ts'
import type { Awaitable } from '../../../runtime/kernel/async/awaitable.ts'
import { createReport } from '../../../runtime/kernel/validation/field-error.ts'
import {
  createMetrics,
  type Log,
  type Metrics,
  silentLog,
} from '../../../runtime/observe/observe.ts'
import { type FakeClock, fakeClock } from '../../support/clock.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/audit: webhook')

interface Opened {
  readonly auditor: Auditor
  readonly clock: FakeClock
  readonly metrics: Metrics
  readonly told: readonly string[]
  /** The ids in the lists that were sent. */
  readonly sent: readonly (readonly string[])[]
  /** Gives what the last one gave. */
  readonly record: (...records: readonly (string | Partial<AuditEvent>)[]) => Awaitable<boolean>
}

/** An auditor whose webhook takes what `takes` says; how a list reaches it is no matter here. */
function open(
  { batch, ...options }: Partial<AuditWebhookOptions>,
  takes: (attempt: number, signal: AbortSignal) => boolean | Promise<boolean> = () => true,
): Opened {
  const sent: string[][] = []
  const told: string[] = []
  const clock = fakeClock(0)
  const metrics = createMetrics(scheme.metrics ?? [], { release: platform.release })
  const log: Log = { ...silentLog, error: (text) => void told.push(text) }
  const webhook: AuditWebhookOptions = {
    mode: 'batch',
    firstPauseMs: 10_000,
    random: () => 0,
    ...options,
    batch: { bufferEvents: 100, maxEvents: 3, maxWaitMs: 30_000, ...batch },
    async post(list, signal) {
      sent.push(readEventList(JSON.parse(list), createReport()).items.map((one) => one.auditID))
      if (!(await takes(sent.length, signal))) throw new Error('away')
    },
  }
  const auditor = createAuditor(
    { policy: { rules: [] }, webhook },
    { platform, clock, log, metrics },
  )
  const record: Opened['record'] = (...records) => {
    let last: Awaitable<boolean> = true
    for (const one of records) {
      last = auditor.record({ ...event, ...(typeof one === 'string' ? { auditID: one } : one) })
    }
    return last
  }
  return { auditor, clock, metrics, told, sent, record }
}

const event: AuditEvent = {
  level: 'Request',
  auditID: '',
  stage: 'RequestReceived',
  requestURI: '/',
  verb: 'get',
  user: { username: 'ann', groups: [] },
  requestObject: '{"a":1}',
  received: 0,
  reached: 0,
}

const count = (n: number) => Array.from({ length: n }, (_, at) => `r${at}`)

function lostBy(metrics: Metrics, plugin: string): number {
  const line = metrics
    .text('prometheus')
    .split('\n')
    .find((one) => one.startsWith(`apiserver_audit_error_total{plugin="${plugin}"}`))
  return Number(line?.split(' ')[1] ?? 0)
}

test('so many records go out at once, and the rest when it has waited', async () => {
  const { auditor, clock, sent, record } = open({})
  record(...count(7))
  await until('the next list', () => sent.length === 2)
  assert.equal(sent, [
    ['r0', 'r1', 'r2'],
    ['r3', 'r4', 'r5'],
  ])
  clock.advance(29_999)
  assert.is(sent.length, 2)
  clock.advance(1)
  await until('the next list', () => sent.length === 3)
  assert.equal(sent[2], ['r6'])
  await auditor.stop()
})

test('batches go out side by side, no faster than the throttle lets them', async () => {
  const held: ((taken: boolean) => void)[] = []
  const { auditor, clock, sent, record } = open(
    {
      batch: {
        bufferEvents: 100,
        maxEvents: 1,
        maxWaitMs: 0,
        throttle: { perSecond: 10, burst: 2 },
      },
    },
    () => new Promise((resolve) => held.push(resolve)),
  )
  record(...count(4))
  await until('the next list', () => sent.length === 2)
  clock.advance(99)
  assert.is(sent.length, 2)
  clock.advance(1)
  await until('the next list', () => sent.length === 3)
  clock.advance(100)
  await until('the next list', () => sent.length === 4)
  for (const take of held) take(true)
  await auditor.stop()
  assert.equal(sent.flat(), count(4))
})

test('a batch is no longer than its bound of bytes, a long record aside', async () => {
  const { auditor, sent, record } = open({
    batch: { bufferEvents: 100, maxEvents: 3, maxWaitMs: 0, maxBytes: 500 },
  })
  record(...count(3))
  await auditor.stop()
  assert.equal(sent.flat(), count(3))
  assert.ok(sent.length > 1)
})

test('what is not taken is sent again four times, after pauses that grow by half', async () => {
  const { auditor, clock, sent, told, metrics, record } = open({}, () => false)
  record(...count(3))
  const pauses = [10_000, 15_000, 22_500, 33_750]
  for (const [at, pause] of pauses.entries()) {
    await until('the next list', () => sent.length === at + 1 && clock.waiting > 0)
    clock.advance(pause - 1)
    assert.is(sent.length, at + 1)
    clock.advance(1)
  }
  await until('the next list', () => told.length === 1)
  assert.is(sent.length, 5)
  assert.equal(told, ['audit records are lost: the webhook does not take them'])
  assert.is(lostBy(metrics, 'webhook'), 3)
  await auditor.stop()
})

test('a webhook that is back takes what it refused', async () => {
  const { auditor, clock, sent, told, record } = open({}, (attempt) => attempt > 1)
  record(...count(3))
  await until('the next list', () => sent.length === 1 && clock.waiting > 0)
  clock.advance(10_000)
  await until('the next list', () => sent.length === 2)
  await auditor.stop()
  assert.equal(sent[1], count(3))
  assert.equal(told, [])
})

test('what finds no room is lost, counted, and told once until there is some', async () => {
  const { auditor, sent, told, metrics, record } = open({
    batch: { bufferEvents: 5, maxEvents: 100, maxWaitMs: 30_000 },
  })
  record(...count(9))
  assert.equal(told, ['audit records are lost: too many wait for the webhook'])
  assert.is(lostBy(metrics, 'buffered'), 4)
  await auditor.stop()
  assert.equal(sent, [count(5)])
})

test('what waits when the server stops is sent, again at once where it is not taken', async () => {
  const { auditor, clock, sent, record } = open({}, (attempt) => attempt > 3)
  record(...count(3))
  await until('the first list', () => sent.length === 1 && clock.waiting > 0)
  record('r3')
  await auditor.stop()
  assert.equal(sent.slice(-2).flat().sort(), count(4))
})

test('a webhook that does not answer holds the end up for half a minute, no longer', async () => {
  const { auditor, clock, sent, told, metrics, record } = open(
    {},
    (_, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  )
  record('r0')
  const stopped = auditor.stop()
  await until('the deadline', () => sent.length === 1)
  clock.advance(30_000)
  await stopped
  assert.is(lostBy(metrics, 'webhook'), 1)
  assert.is(told.length, 1)
})

for (const mode of ['blocking', 'blocking-strict'] as const) {
  test(`mode ${mode}: a request goes on when its record is out`, async () => {
    let take: (taken: boolean) => void = () => {}
    const { auditor, clock, sent, record } = open(
      { mode, firstPauseMs: 0 },
      () => new Promise((resolve) => (take = resolve)),
    )
    const first = record('r0')
    assert.instance(first, Promise)
    assert.equal(sent, [['r0']])
    take(true)
    assert.is(await first, true)
    const second = record('r1')
    for (let attempt = 2; attempt <= 6; attempt++) {
      await until('the next list', () => sent.length === attempt)
      take(false)
      await until(
        'the next list',
        () => sent.length > attempt || clock.waiting > 0 || attempt === 6,
      )
      clock.advance(1)
    }
    assert.is(await second, mode === 'blocking')
    await auditor.stop()
  })
}

test('a record that is too long goes without its objects; one that still is does not go', async () => {
  const { auditor, metrics, sent, record } = open({ maxEventBytes: 350 })
  const long = 'x'.repeat(400)
  record({ auditID: 'r0', requestObject: `"${long}"` }, { auditID: 'r1', requestURI: `/${long}` })
  await auditor.stop()
  assert.equal(sent, [['r0']])
  assert.is(lostBy(metrics, 'truncate'), 1)
})

test.run()
