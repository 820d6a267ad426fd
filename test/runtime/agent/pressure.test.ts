import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Pod, PodSpec } from '../../../generated/apis/core/v1/pod.ts'
import { allocatableOf } from '../../../runtime/agent/node/allocatable.ts'
import {
  decidePressure,
  noPressure,
  type Observations,
} from '../../../runtime/agent/pressure/decide-pressure.ts'
import { createEvictor } from '../../../runtime/agent/pressure/evictor.ts'
import { rankPods } from '../../../runtime/agent/pressure/rank-pods.ts'
import { readThresholds, type Signal } from '../../../runtime/agent/pressure/thresholds.ts'
import { volumeOverLimit } from '../../../runtime/agent/pressure/volume-limits.ts'
import { removeFolder } from '../../../runtime/container-runtime/container-runtime.ts'
import type { Stored } from '../../../runtime/kernel/meta/object.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { virtualClock } from '../../../runtime/testing/virtual-clock.ts'
import { tempDirectory } from '../../support/temp.ts'

const pressures = suite('runtime/agent/pressure')

const nothing = { soft: {}, softGrace: {}, minimumReclaim: {} }
const Mi = 2 ** 20
const left = (entries: Partial<Record<Signal, number>>, capacity = 1000 * Mi): Observations =>
  new Map(
    Object.entries(entries).map(([signal, available]) => [
      signal as Signal,
      { available: available ?? 0, capacity },
    ]),
  )

function podOf(name: string, spec: Partial<PodSpec> = {}): Stored<Pod> {
  return {
    ...{ kind: 'Pod', apiVersion: 'v1' },
    metadata: { name, uid: name, namespace: 'default' },
    spec: { containers: [{ name: 'main' }], ...spec },
  } as unknown as Stored<Pod>
}

const use = (pod: Stored<Pod>, memory: number) => ({
  ...{ pod, memoryBytes: memory * Mi, diskBytes: 0, processes: 1 },
  containers: [{ name: 'main', memoryBytes: memory * Mi, diskBytes: 0 }],
})
const asking = (memory: string) => [{ name: 'main', resources: { requests: { memory } } }]

pressures('a threshold is an amount or a percentage, a soft one has a grace period', () => {
  const { thresholds, problems } = readThresholds({
    hard: { 'memory.available': '100Mi', 'nodefs.available': '10%', 'pid.available': '0%' },
    soft: { 'memory.available': '200Mi', 'imagefs.available': '15%' },
    softGrace: { 'memory.available': '1m30s' },
    minimumReclaim: { 'memory.available': '50Mi' },
  })
  assert.equal(
    thresholds.map(({ signal, part, amount, graceMs }) => [signal, part ?? amount, graceMs]),
    [
      ['memory.available', 100 * Mi, 0],
      ['nodefs.available', 0.1, 0],
      ['memory.available', 200 * Mi, 90_000],
      ['imagefs.available', 0.15, 0],
    ],
  )
  assert.equal(problems, [
    'evictionSoftGracePeriod: imagefs.available has a soft threshold and no grace period',
  ])
})

pressures('a soft threshold is due after its grace period, and pressure lasts for a while', () => {
  const { thresholds } = readThresholds({
    ...{ ...nothing, hard: {} },
    ...{ soft: { 'memory.available': '200Mi' }, softGrace: { 'memory.available': '30s' } },
  })
  const at = (now: number, available: number, before = noPressure) =>
    decidePressure(thresholds, left({ 'memory.available': available * Mi }), before, {
      ...{ now, transitionMs: 300_000 },
    })
  const first = at(0, 150)
  assert.equal([first.pressure.memory, first.due.length], [true, 0])
  const due = at(30_000, 150, first)
  assert.is(due.due.length, 1)
  const well = at(40_000, 500, due)
  assert.equal([well.pressure.memory, well.due.length], [true, 0])
  assert.is(at(329_999, 500, well).pressure.memory, true)
  assert.is(at(330_000, 500, well).pressure.memory, false)
  assert.is(at(50_000, 150, well).due.length, 0)
})

pressures('what pods went for has to be there again with something more', () => {
  const { thresholds } = readThresholds({
    ...nothing,
    ...{ hard: { 'memory.available': '100Mi' }, minimumReclaim: { 'memory.available': '50Mi' } },
  })
  const at = (available: number, before = noPressure) =>
    decidePressure(thresholds, left({ 'memory.available': available * Mi }), before, {
      ...{ now: 0, transitionMs: 0 },
    })
  assert.is(at(120).due.length, 0)
  const due = at(90)
  assert.is(at(120, due).due.length, 1)
  assert.is(at(151, due).due.length, 0)
})

pressures('first goes who uses more than it asked for, then the less important', () => {
  const modest = use(podOf('modest', { containers: asking('500Mi') }), 400)
  const greedy = use(podOf('greedy', { containers: asking('100Mi'), priority: 5 }), 200)
  const nothingAsked = use(podOf('nothing', { priority: 5 }), 300)
  const less = use(podOf('less', { priority: 1 }), 10)
  const critical = use(podOf('critical', { priority: 2_000_001_000 }), 900)
  const order = rankPods('memory.available', [modest, greedy, nothingAsked, less, critical])
  assert.equal(
    order.map(({ pod }) => pod.metadata.name),
    ['less', 'nothing', 'greedy', 'modest'],
  )
})

pressures('a pod of a manifest, which would come again, is never sent away or refused', () => {
  const annotated = (key: string, value: string) => {
    const pod = podOf(value)
    return { ...pod, metadata: { ...pod.metadata, annotations: { [key]: value } } }
  }
  const all = [
    annotated('orch.io/config.source', 'file'),
    annotated('orch.io/config.source', 'http'),
    annotated('orch.io/config.mirror', 'abc'),
    annotated('orch.io/config.source', 'api'),
  ]
  const order = rankPods(
    'memory.available',
    all.map((pod) => use(pod, 100)),
  )
  assert.equal(
    order.map(({ pod }) => pod.metadata.name),
    ['api'],
  )
})

pressures('a volume that holds more than it may sends its pod away', async () => {
  const folder = tempDirectory()
  const volumes = [{ name: 'scratch', emptyDir: { sizeLimit: '64Ki' } }]
  const pod = podOf('full', { volumes })
  const files = join(folder, 'full/volumes/scratch/below')
  mkdirSync(files, { recursive: true })
  assert.is(await volumeOverLimit(pod, folder), undefined)
  writeFileSync(join(files, 'a'), Buffer.alloc(100_000, 1))
  assert.equal(await volumeOverLimit(pod, folder), {
    reason: 'Evicted',
    message: 'Usage of EmptyDir volume "scratch" exceeds the limit "64Ki". ',
  })
})

pressures(
  'paths that are too long for the system keep no other volume from being measured',
  async () => {
    const folder = tempDirectory()
    const volumes = ['deep', 'full'].map((name) => ({ name, emptyDir: { sizeLimit: '64Ki' } }))
    const [deep, full] = volumes.map(({ name }) => join(folder, 'deep/volumes', name))
    for (const path of [deep, full]) mkdirSync(path as string, { recursive: true })
    // Relative names lead further than whole paths do.
    const script = 'while mkdir "$0" && cd "$0"; do :; done 2> /dev/null; true'
    try {
      execFileSync('sh', ['-c', script, 'n'.repeat(200)], { cwd: deep })
      writeFileSync(join(full as string, 'a'), Buffer.alloc(100_000, 1))
      const over = await volumeOverLimit(podOf('deep', { volumes }), folder)
      assert.is(over?.reason, 'Evicted')
    } finally {
      await removeFolder(deep as string)
    }
    assert.not(existsSync(deep as string), 'and are removed with their volume')
  },
)

pressures('one pod at a time is sent away, after images that nothing uses', async () => {
  const { thresholds } = readThresholds({
    ...nothing,
    hard: { 'memory.available': '100Mi', 'nodefs.available': '10%' },
  })
  const clock = virtualClock()
  let seen = left({ 'memory.available': 500 * Mi, 'nodefs.available': 500 * Mi })
  const sent: string[] = []
  let reclaimed = 0
  const evictor = createEvictor({
    ...{ thresholds, clock, domain: 'orch.io', transitionMs: 300_000, softGraceSeconds: 0 },
    log: silentLog,
    observe: () => seen,
    pods: () => [],
    overLimit: async () => undefined,
    uses: async () => [use(podOf('a'), 10), use(podOf('b'), 20)],
    async reclaim() {
      reclaimed++
    },
    sendAway: (pod, { reason, message, graceSeconds }) =>
      sent.push(`${pod.metadata.name} ${reason} ${graceSeconds} ${message}`),
  })
  await evictor.look()
  assert.equal(sent, [])
  assert.is(evictor.refusal(podOf('c')), undefined)
  seen = left({ 'memory.available': 90 * Mi, 'nodefs.available': 500 * Mi })
  await evictor.look()
  assert.is(sent.length, 1)
  assert.match(
    sent[0] ?? '',
    /^b Evicted 0 The node was low on resource: memory\. Threshold quantity: 100Mi, available: 90Mi\. Container main was using 20Mi, request is 0, has larger consumption of memory\. $/,
  )
  assert.match(evictor.refusal(podOf('c'))?.message ?? '', /had condition: \[MemoryPressure\]/)
  const guaranteed = { containers: asking('1Mi') }
  assert.is(evictor.refusal(podOf('c', guaranteed)), undefined)
  seen = left({ 'memory.available': 900 * Mi, 'nodefs.available': 50 * Mi })
  await evictor.look()
  assert.is(reclaimed, 1)
  assert.is(evictor.refusal(podOf('c', guaranteed))?.reason, 'Evicted')
})

pressures('pods get what is not kept for the system, and not what has to be left', () => {
  const { thresholds } = readThresholds({ ...nothing, hard: { 'memory.available': '100Mi' } })
  const capacity = { cpu: '4', memory: '1000Mi', pods: '110' }
  const reserved = [{ cpu: '500m' }, { cpu: '500m', memory: '300Mi', pid: '100' }]
  assert.equal(allocatableOf(capacity, reserved, thresholds), {
    ...{ cpu: '3', memory: '600Mi', pods: '110' },
  })
})

pressures.run()
