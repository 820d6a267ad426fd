/** What is told of two looks at a node. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readSummary } from '../../../runtime/metrics-api/samples.ts'
import { usageBetween } from '../../../runtime/metrics-api/usage.ts'

const tests = suite('metrics-api: usage')
const start = Date.parse('2026-01-01T00:00:00Z')
const time = (ms: number) => new Date(start + ms).toISOString()

const measured = (ms: number, seconds: number, startedMs = 0) => ({
  startTime: time(startedMs),
  cpu: { time: time(ms), usageCoreNanoSeconds: seconds * 1e9 },
  memory: { workingSetBytes: 2 ** 20 },
})
const summary = (
  ms: number,
  seconds: number,
  { started = 0, uid = 'u1' }: { readonly started?: number; readonly uid?: string } = {},
) =>
  readSummary({
    node: measured(ms, seconds * 2, -1e9),
    pods: [
      {
        podRef: { namespace: 'shop', name: 'web', uid },
        containers: [{ name: 'main', ...measured(ms, seconds, started) }],
      },
    ],
  })

tests('usage is the processor time between two looks', () => {
  const { node, pods } = usageBetween(summary(100_000, 10), summary(110_000, 15))
  const used = { at: start + 110_000, windowMs: 10_000, memoryBytes: 2 ** 20 }
  assert.equal(node, { ...used, nanocores: 1e9 })
  assert.equal(pods.get('shop/web')?.containers.get('main'), { ...used, nanocores: 5e8 })
})

tests('of a first look only what was just started is known', () => {
  const fresh = usageBetween(undefined, summary(20_000, 10)).pods.get('shop/web')
  assert.equal([fresh?.windowMs, fresh?.containers.get('main')?.nanocores], [20_000, 5e8])
  const old = usageBetween(undefined, summary(100_000, 10))
  assert.equal([old.pods.size, old.node], [0, undefined])
})

tests('a counter that began anew is one of a container that was started again', () => {
  const again = usageBetween(summary(100_000, 50), summary(110_000, 4, { started: 102_000 }))
  const found = again.pods.get('shop/web')
  assert.equal([found?.windowMs, found?.containers.get('main')?.nanocores], [8_000, 5e8])
  assert.is(usageBetween(summary(100_000, 50), summary(110_000, 4)).pods.size, 0)
})

tests('another pod of the same name is not compared with the one before', () => {
  const other = usageBetween(summary(100_000, 5), summary(110_000, 9, { uid: 'u2' }))
  assert.is(other.pods.size, 0)
})

tests('what a summary lacks or has wrong is left out, and the rest is read', () => {
  for (const odd of [undefined, null, 'text', [], { pods: {} }, { pods: [null, 1, {}] }]) {
    assert.equal(readSummary(odd), { node: undefined, pods: [] })
  }
  const podRef = { namespace: 'a', name: 'b', uid: 'c' }
  const containers = [
    { name: 'good', ...measured(1000, 1) },
    { name: 'no time', ...measured(1000, 1), cpu: { usageCoreNanoSeconds: 1 } },
    { name: 'less than nothing', ...measured(1000, -1) },
    { ...measured(1000, 1) },
  ]
  const [pod] = readSummary({
    pods: [
      { podRef, containers },
      { podRef: {}, containers },
    ],
  }).pods
  assert.equal([...(pod?.containers.keys() ?? [])], ['good'])
})

tests.run()
